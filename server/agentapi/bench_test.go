package agentapi_test

func benchChild() bool { return false }
