package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inferlake/inferlake/stream"
	"github.com/inferlake/inferlake/warehouse"
)

// legSettings are the flags that say which role's rows count as a deployment's requests.
type legSettings struct {
	CountingLeg map[string]string `help:"Role whose rows count as a deployment's requests, kept until another is given. default: the first it has of gateway, engine and decode." placeholder:"DEPLOYMENT=ROLE"`
}

const defaultLeg = "default"

// load keeps the choices, where any are given.
func (s legSettings) load(ctx context.Context, house *warehouse.Warehouse) error {
	if len(s.CountingLeg) == 0 {
		return nil
	}
	roles := map[string]string{}
	for deployment, role := range s.CountingLeg {
		known := stream.RoleNames[1:]
		if role != defaultLeg && !slices.Contains(known, role) {
			return fmt.Errorf("--counting-leg of %s cannot be %q: choose one of %s, %s", deployment, role, strings.Join(known, ", "), defaultLeg)
		}
		roles[deployment] = strings.TrimPrefix(role, defaultLeg)
	}
	return house.SetCountingLegs(ctx, roles)
}
