package app

import (
	"context"
	"sync"
	"time"

	"github.com/allspark/allspark/proto/gear"
	"github.com/allspark/allspark/server/template"
)

// ownLevels tells the level that an order's template has by itself. Versions of
// templates never change, so each is read once.
type ownLevels struct {
	publisher *publisher
	templates template.Store

	mu    sync.Mutex
	known map[ownKey]int
}

type ownKey struct {
	template string // ID
	number   int
}

// of gives 0 where the version is not known or cannot be read now.
func (l *ownLevels) of(o *gear.Order) int {
	k := ownKey{l.publisher.templateOf(o), o.TemplateVersion}
	if k.template == "" {
		return 0
	}
	l.mu.Lock()
	level, ok := l.known[k]
	l.mu.Unlock()
	if ok {
		return level
	}
	ctx, done := context.WithTimeout(context.Background(), time.Second)
	defer done()
	v, err := l.templates.GetVersion(ctx, k.template, k.number)
	if err != nil {
		return 0
	}
	l.mu.Lock() // not while the database is asked: it may hang
	defer l.mu.Unlock()
	if l.known == nil {
		l.known = map[ownKey]int{}
	}
	l.known[k] = v.Spec.Default
	return v.Spec.Default
}
