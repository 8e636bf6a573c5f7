package api

import "time"

// Leaderboard ranks points, apps, IDCs or scenes by how their levels stand and move.
type Leaderboard struct {
	From   time.Time        `json:"from" doc:"Start of the stretch."`
	To     time.Time        `json:"to" doc:"Its end."`
	Live   bool             `json:"live" doc:"Levels are those of the last ten seconds; the other figures are of the stretch."`
	StepMS int64            `json:"step_ms" doc:"Distance of the samples: a minute or an hour. Movement within one is not seen." example:"60000"`
	Total  int              `json:"total" doc:"Rows there are; items may be fewer." example:"42"`
	Items  []LeaderboardRow `json:"items" doc:"In order of rank."`
}

// LeaderboardRow is a place on the board.
type LeaderboardRow struct {
	PointKey
	Members      int              `json:"members" doc:"Series that the row stands for." example:"1"`
	Rank         int              `json:"rank" doc:"1 is first." example:"1"`
	PreviousRank int              `json:"previous_rank" doc:"In the stretch before; 0 when it was not there." example:"4"`
	Figures      LevelFigures     `json:"figures" doc:"Over the stretch."`
	Previous     *LevelFigures    `json:"previous,omitempty" doc:"Over the stretch of equal length before it."`
	Trend        []float64        `json:"trend" doc:"Heights over the stretch, oldest first; -1 where nothing was asked."`
	Floor        int              `json:"floor" doc:"Lowest level of a point; 0 for groups." example:"1"`
	Ceiling      int              `json:"ceiling" doc:"Highest level of a point; 0 for groups." example:"100"`
	Now          *LeaderboardLive `json:"now,omitempty" doc:"A point as it is now."`
}

// LeaderboardLive is a ranked point as it is now.
type LeaderboardLive struct {
	Level  float64 `json:"level" doc:"Mean level of the last ten seconds." example:"62.5"`
	Source string  `json:"source,omitempty" doc:"Where the level comes from." example:"manual"`
}

// LevelFigures is how levels stood and moved.
type LevelFigures struct {
	Level      float64 `json:"level" doc:"Request-weighted mean level; 0 for groups." example:"62.5"`
	Height     float64 `json:"height" doc:"Where that lies between floor and ceiling, 0..1." example:"0.62"`
	Movement   float64 `json:"movement" doc:"Levels moved an hour, up and down." example:"31.5"`
	Flaps      float64 `json:"flaps" doc:"Turns of direction an hour." example:"2.5"`
	Floor      float64 `json:"floor" doc:"Share of time at the lowest level." example:"0.2"`
	Overridden float64 `json:"overridden" doc:"Share of time held by hand." example:"0"`
	Requests   int64   `json:"requests" doc:"Requests." example:"120000"`
	CoveredMS  int64   `json:"covered_ms" doc:"Time with requests." example:"600000"`
}
