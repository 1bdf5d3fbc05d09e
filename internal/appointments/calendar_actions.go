package appointments

import (
	"context"

	"slipway/internal/identity/people"
	"slipway/internal/platform/db"
)

// CalendarHolder returns what happens to the calendars of users who leave. The user's own
// calendar ends. Those that the user created for others can be handed over.
func CalendarHolder() people.Holder {
	return people.Holder{List: listCalendars, End: endCalendars, HandOver: handOverCalendars}
}

func listCalendars(ctx context.Context, tx *db.Tx, by people.Author) (items []people.UserAccessItem, err error) {
	all, err := calendarsOf(ctx, tx, by)
	for _, c := range all {
		u, err := people.FindUser(ctx, tx, c.UserID)
		if err != nil {
			return nil, err
		}
		items = append(items, people.UserAccessItem{
			Kind: people.CalendarAccess, ID: c.UserID, Name: "Calendar of " + u.Name, CanHandOver: c.UserID != by.User.ID, CreatedAt: c.CreatedAt,
		})
	}
	return items, err
}

func endCalendars(ctx context.Context, tx *db.Tx, by people.Author) error {
	all, err := calendarsOf(ctx, tx, by)
	if err != nil {
		return err
	}
	for _, c := range all {
		if err := deleteCalendar(ctx, tx, c.UserID); err != nil {
			return err
		}
	}
	return nil
}

func handOverCalendars(ctx context.Context, tx *db.Tx, by people.Author, to people.User) error {
	all, err := calendarsOf(ctx, tx, by)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.UserID == by.User.ID {
			err = deleteCalendar(ctx, tx, c.UserID)
		} else {
			err = handOverCalendar(ctx, tx, c, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
