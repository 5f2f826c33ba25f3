// Command program books a slot with a client of openapi-generator: program <base URL> <key> <slot_id>.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	service "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func main() {
	baseURL, apiKey, slotID := os.Args[1], os.Args[2], os.Args[3]
	configuration := service.NewConfiguration()
	configuration.Servers = service.ServerConfigurations{{URL: baseURL}}
	client := service.NewAPIClient(configuration)
	keys := map[string]service.APIKey{"PartnerKey": {Key: apiKey}}
	ctx := context.WithValue(context.Background(), service.ContextAPIKeys, keys)
	body := service.PlaceHoldBody{SlotId: &slotID}

	hold, _, err := client.HoldsAPI.PlaceHold(ctx).PlaceHoldBody(body).Execute()
	if err != nil {
		log.Fatal(err)
	}
	_, _, err = client.HoldsAPI.PlaceHold(ctx).PlaceHoldBody(body).Execute()
	var rejection *service.GenericOpenAPIError
	if !errors.As(err, &rejection) {
		log.Fatal("held twice: ", err)
	}
	model := rejection.Model().(service.Error)
	fmt.Println(model.Error.Code, model.Error.Conflict.Reason)

	order := service.NewConfirmBookingBody(hold.HoldId, "pay_1", "Asha Rao", "+919845012345", "order-"+hold.HoldId)
	booking, _, err := client.BookingsAPI.ConfirmBooking(ctx).ConfirmBookingBody(*order).Execute()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(booking.Status)
}
