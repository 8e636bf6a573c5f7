package app

import "github.com/allspark/allspark/server/restapi"

// ServeDemo gives the console a control of the sample engine that runs beside
// this controller. Call it before Run.
func (a *App) ServeDemo(d restapi.Demo) { a.rest.ServeDemo(d) }
