// The page of a boat. Each tab is a component in a file of its own.
import { useEffect, useState } from "preact/hooks";
import type { PreviewHull } from "../../api.ts";
import { date, dateTime, feet, money } from "../../format.ts";
import { useKeys } from "../../keys.ts";
import { Button, ButtonLink } from "../../parts/button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { Facts, Page, Section, Sheet } from "../../parts/layout.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Photo } from "../../parts/photo.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Status } from "../../parts/status.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { toastError } from "../../parts/toast.tsx";
import { remember } from "../../prefs.ts";
import { href, navigate, setQuery, usePlace } from "../../router.ts";
import { can } from "../../session.ts";
import { useActions } from "../../shell/actions.ts";
import { className, word } from "../../words.ts";
import { useNames } from "../contacts/people.tsx";
import { BoatStatusButton, HoldDialog, PriceDialog, archive, changeStatus } from "./actions.tsx";
import { BoatActivity, BoatMoments } from "./activity.tsx";
import { EditBoat } from "./form.tsx";
import { Gallery } from "./gallery.tsx";
import { BoatListings } from "./listings.tsx";
import { BoatPhotos } from "./photos.tsx";
import { BoatPricing } from "./pricing.tsx";
import { boatName, canSell, onTheWay, useBoat, useChannels, useLocations } from "./shared.ts";
import { BoatSheet } from "./sheet.tsx";
import { BoatSpecs } from "./specs.tsx";

const tabs = {
  overview: Overview,
  specs: BoatSpecs,
  pricing: BoatPricing,
  photos: BoatPhotos,
  listings: BoatListings,
  activity: BoatActivity,
};

type TabName = keyof typeof tabs;

export function Boat({ id, tab = "overview" }: { id: string; tab?: string }) {
  const boat = useBoat(id);
  const name = tab in tabs ? (tab as TabName) : "overview";
  useKeys({ Escape: () => navigate(href("boats", { peek: id })) });
  return <Sheet><Loaded load={boat} title="Boat">{(b) => <BoatPage boat={b} tab={name} />}</Loaded></Sheet>;
}

function BoatPage({ boat, tab }: { boat: PreviewHull; tab: TabName }) {
  const { query } = usePlace();
  const name = boatName(boat);
  const edit = () => setQuery({ edit: "yes" });
  const Content = tabs[tab];
  useEffect(() => remember({ title: name, url: href(`boats/${boat.id}`) }), [boat.id]);
  useKeys({ e: can("hulls:write") ? edit : undefined });
  useActions(can("hulls:write") ? [
    { title: `Edit ${name}`, icon: "edit", key: "E", run: edit },
    { title: `Archive ${name}`, icon: "archive", run: () => void archive(boat) },
  ] : []);

  const counts: Partial<Record<TabName, number>> = { photos: boat.photo_count, listings: boat.published_channels.length };
  const links = (Object.keys(tabs) as TabName[]).map((t) => ({
    title: word(t), href: href(`boats/${boat.id}/${t}`), current: t === tab, count: counts[t],
  }));
  return (
    <Page
      title={name}
      back={{ href: href("boats"), title: "Inventory" }}
      before={<Photo boat={boat} />}
      aside={<Status value={boat.status} />}
      actions={<BoatButtons boat={boat} onEdit={edit} />}
    >
      <Tabs label="Boat" tabs={links} />
      <div class="content"><Content boat={boat} /></div>
      {query.get("edit") && can("hulls:write") && <EditBoat boat={boat} onClose={() => setQuery({ edit: undefined })} />}
    </Page>
  );
}

function BoatButtons({ boat, onEdit }: { boat: PreviewHull; onEdit: () => void }) {
  const [dialog, setDialog] = useState<"price" | "hold" | "print">();
  const close = () => setDialog(undefined);
  const writes = can("hulls:write");
  // A phone only has room for the menu and the most important button.
  const more = [
    writes && { title: "Edit", icon: "edit" as const, onClick: onEdit },
    writes && boat.status === "available" && { title: "Hold", icon: "hold" as const, onClick: () => setDialog("hold") },
    { title: "Print boat sheet", icon: "document" as const, onClick: () => setDialog("print") },
    writes && { title: "Change price", icon: "price" as const, onClick: () => setDialog("price") },
    writes && boat.status === "available" && { title: "Mark not for sale", icon: "blocked" as const, onClick: () => void changeStatus(boat, "not_for_sale").catch(toastError) },
    writes && boat.status !== "archived" && { title: "Archive", icon: "archive" as const, onClick: () => void archive(boat) },
  ];
  return (
    <>
      <Menu class="btn quiet square" label="More actions" align="end" button={<Icon name="more" />} items={more} />
      {writes && <Button icon="edit" onClick={onEdit}>Edit</Button>}
      <BoatStatusButton boat={boat} />
      {can("deals:write") && canSell(boat) && <ButtonLink kind="primary" href={href("deals/new", { hull_id: boat.id })}>Start deal</ButtonLink>}
      {dialog === "price" && <PriceDialog boat={boat} onClose={close} />}
      {dialog === "hold" && <HoldDialog boats={[boat]} onClose={close} />}
      {dialog === "print" && <BoatSheet boat={boat} onDone={close} />}
    </>
  );
}

function Overview({ boat }: { boat: PreviewHull }) {
  const nameOf = useNames();
  const locations = useLocations();
  const listedOn = useChannels().filter((c) => boat.published_channels.includes(c.id)).map((c) => c.name);
  return (
    <>
      {boat.hold && (
        <p class="note part-note">
          <Icon name="hold" />On hold until {dateTime(boat.hold.expires_at)}{boat.hold.user_id && ` by ${nameOf(boat.hold.user_id)}`}.{boat.hold.reason && ` ${boat.hold.reason}`}
        </p>
      )}
      {onTheWay(boat) && boat.status !== boat.stock_state && <p class="note part-note"><Icon name="clock" />{onTheWay(boat)}.</p>}
      {boat.hin_warnings.map((w) => <p key={w.code} class="note part-note"><Icon name="alert" />{w.message}</p>)}
      <div class="columns">
        <div>
          <Section title="Boat">
            <Facts facts={[
              ["Price", money(boat.price)],
              ["Location", locations.get(boat.location_id)?.name],
              ["Stock number", boat.stock_number && <span class="mono">{boat.stock_number}</span>],
              ["HIN", boat.hin ? <span class="mono">{boat.hin}</span> : boat.hin_absent_reason && word(boat.hin_absent_reason)],
              ["Length", feet(boat.length_ft)],
              ["Condition", word(boat.condition)],
              ["Type", boat.boat_class ? className(boat.boat_class) : word(boat.category)],
              ["Ownership", word(boat.ownership)],
              ["Order number", boat.order_number && <span class="mono">{boat.order_number}</span>],
              ["Expected", boat.received_on === null && boat.expected_on && date(boat.expected_on)],
              ["Options", boat.options.join(", ")],
              ["Received", boat.received_on && date(boat.received_on)],
              ["In stock", boat.days_in_stock === null ? null : `${boat.days_in_stock} days`],
              ["Listed on", listedOn.join(", ") || "Not listed"],
              ["Sold", boat.sold_at && date(boat.sold_at)],
              ...Object.entries(boat.metadata).map(([name, value]): [string, string] => [word(name), value]),
            ]} />
          </Section>
          {(boat.title ?? boat.description) && (
            <Section title="Listing text"><div class="prose">{boat.title && <b>{boat.title}</b>}{boat.description && <p>{boat.description}</p>}</div></Section>
          )}
        </div>
        <div>
          <div class="part"><Gallery boat={boat} /></div>
          <Section title="Activity" action={<a class="link" href={href(`boats/${boat.id}/activity`)}>See all</a>}>
            <BoatMoments boat={boat} most={6} />
          </Section>
        </div>
      </div>
    </>
  );
}
