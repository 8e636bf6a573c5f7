package agent_test

import (
	"fmt"
	"time"

	"github.com/allspark/allspark/agent"
)

func ExamplePoint_Int() {
	p := local().Point("recall")
	tags := p.Int("tag_count").Range(10, 200).Step(10).Unit("tags").Monotonic(agent.Rising).Default(100)
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(tags.Get(&d))
	// Output: 100
}

func ExamplePoint_Float() {
	p := local().Point("recall")
	share := p.Float("share").Range(0, 1).Step(0.05).Default(0.6)
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(share.Get(&d))
	// Output: 0.6
}

func ExamplePoint_Bool() {
	p := local().Point("rank")
	rerank := p.Bool("rerank")
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(rerank.Get(&d))
	// Output: false
}

func ExamplePoint_String() {
	p := local().Point("rank")
	index := p.String("index").Default("main")
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(index.Get(&d))
	// Output: main
}

func ExamplePoint_Enum() {
	p := local().Point("rank")
	model := p.Enum("model", "small", "large").Default("large")
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(model.Get(&d))
	// Output: large
}

func ExamplePoint_Duration() {
	p := local().Point("cache")
	ttl := p.Duration("ttl").Range(0, time.Minute).Step(time.Second).Default(5 * time.Second)
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(ttl.Get(&d))
	// Output: 5s
}

func ExampleIntParam() {
	p := local().Point("rank")
	docs := p.Int("docs").Default(300)
	d := p.Begin(agent.Scene{}, agent.Request{})
	for range min(docs.Get(&d), 2) {
		fmt.Println("score a document")
	}
	// Output:
	// score a document
	// score a document
}

func ExampleIntParam_Get() {
	ag := local()
	docs := ag.Point("rank").Int("docs").Default(300)
	d := ag.Point("recall").Begin(agent.Scene{}, agent.Request{})
	fmt.Println(docs.Get(&d), "is the default: the decision is another point's")
	// Output: 300 is the default: the decision is another point's
}

func ExampleIntParam_Default() {
	ag := local()
	ag.Point("rank").Int("docs")
	fmt.Println(ag.Check())
	// Output: declare agent: points.rank.docs.default: docs needs a default: it answers while there is no order
}

func ExampleIntParam_Range() {
	ag := local()
	ag.Point("rank").Int("docs").Range(10, 500).Default(5)
	fmt.Println(ag.Check())
	// Output: declare agent: points.rank.docs.default: docs wants int 10..500, got 5 as default
}

func ExampleIntParam_Step() {
	ag := local()
	ag.Point("rank").Int("docs").Range(10, 500).Step(10).Default(55)
	fmt.Println(ag.Check())
	// Output: declare agent: points.rank.docs.default: docs wants int 10..500 step 10, got 55 as default
}

func ExampleIntParam_Unit() {
	ag := local()
	ag.Point("rank").Int("docs").Unit("docs").Default(300)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleIntParam_Monotonic() {
	ag := local()
	ag.Point("rank").Int("docs").Monotonic(agent.Rising).Default(300)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleFloatParam() {
	p := local().Point("recall")
	share := p.Float("share").Default(0.25)
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(int(400*share.Get(&d)), "of 400 shards")
	// Output: 100 of 400 shards
}

func ExampleFloatParam_Get() {
	p := local().Point("recall")
	share := p.Float("share").Default(0.25)
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(share.Get(&d))
	// Output: 0.25
}

func ExampleFloatParam_Default() {
	ag := local()
	ag.Point("recall").Float("share").Default(0.25)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleFloatParam_Range() {
	ag := local()
	ag.Point("recall").Float("share").Range(0, 1).Default(1.5)
	fmt.Println(ag.Check())
	// Output: declare agent: points.recall.share.default: share wants float 0..1, got 1.5 as default
}

func ExampleFloatParam_Step() {
	ag := local()
	ag.Point("recall").Float("share").Range(0, 1).Step(0.25).Default(0.75)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleFloatParam_Unit() {
	ag := local()
	ag.Point("recall").Float("share").Unit("of all").Default(0.5)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleFloatParam_Monotonic() {
	ag := local()
	ag.Point("recall").Float("cut_off").Monotonic(agent.Falling).Default(0.5)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleDurationParam() {
	p := local().Point("cache")
	ttl := p.Duration("ttl").Default(5 * time.Second)
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println("keep for", ttl.Get(&d))
	// Output: keep for 5s
}

func ExampleDurationParam_Get() {
	p := local().Point("cache")
	ttl := p.Duration("ttl").Default(5 * time.Second)
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(ttl.Get(&d))
	// Output: 5s
}

func ExampleDurationParam_Default() {
	ag := local()
	ag.Point("cache").Duration("ttl").Default(5 * time.Second)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleDurationParam_Range() {
	ag := local()
	ag.Point("cache").Duration("ttl").Range(time.Second, time.Minute).Default(time.Millisecond)
	fmt.Println(ag.Check())
	// Output: declare agent: points.cache.ttl.default: ttl wants duration 1s..1m, got 1ms as default
}

func ExampleDurationParam_Step() {
	ag := local()
	ag.Point("cache").Duration("ttl").Step(time.Second).Default(5 * time.Second)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleDurationParam_Monotonic() {
	ag := local()
	ag.Point("cache").Duration("ttl").Monotonic(agent.Falling).Default(5 * time.Second)
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleBoolParam() {
	p := local().Point("rank")
	rerank := p.Bool("rerank").Default(true)
	d := p.Begin(agent.Scene{}, agent.Request{})
	if rerank.Get(&d) {
		fmt.Println("rerank")
	}
	// Output: rerank
}

func ExampleBoolParam_Get() {
	p := local().Point("rank")
	rerank := p.Bool("rerank")
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(rerank.Get(&d))
	// Output: false
}

func ExampleBoolParam_Default() {
	p := local().Point("rank")
	rerank := p.Bool("rerank").Default(true)
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(rerank.Get(&d))
	// Output: true
}

func ExampleStringParam() {
	p := local().Point("rank")
	index := p.String("index").Default("main")
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println("read", index.Get(&d))
	// Output: read main
}

func ExampleStringParam_Get() {
	p := local().Point("rank")
	index := p.String("index").Default("main")
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(index.Get(&d))
	// Output: main
}

func ExampleStringParam_Default() {
	ag := local()
	ag.Point("rank").String("index").Default("main")
	fmt.Println(ag.Check())
	// Output: <nil>
}

func ExampleEnumParam() {
	p := local().Point("rank")
	model := p.Enum("model", "small", "large").Default("small")
	d := p.Begin(agent.Scene{}, agent.Request{})
	switch model.Get(&d) {
	case "large":
		fmt.Println("run the large model")
	default:
		fmt.Println("run the small model")
	}
	// Output: run the small model
}

func ExampleEnumParam_Get() {
	p := local().Point("rank")
	model := p.Enum("model", "small", "large").Default("small")
	d := p.Begin(agent.Scene{}, agent.Request{})
	fmt.Println(model.Get(&d))
	// Output: small
}

func ExampleEnumParam_Default() {
	ag := local()
	ag.Point("rank").Enum("model", "small", "large").Default("huge")
	fmt.Println(ag.Check())
	// Output: declare agent: points.rank.model.default: model wants enum small|large, got "huge" as default
}

func ExampleMonotonic() {
	hint := agent.Falling // a cut-off falls as more work is done
	local().Point("recall").Float("cut_off").Monotonic(hint).Default(0.5)
	// Output:
}
