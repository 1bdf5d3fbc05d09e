package channels

import "slipway/internal/hulls"

// bsClasses are the words of marketplaces for classes whose words are not their names.
var bsClasses = map[hulls.BoatClass]string{
	"power-aft": "Aft Cabin", "power-airboat": "Airboats", "power-aluminum": "Aluminum Fish Boats", "power-antique": "Antique and Classics",
	"power-barge": "Barges", "power-bass": "Bass Boats", "power-bay": "Bay Boats", "power-bowrider": "Bowrider", "power-cargo": "Cargo Ships",
	"power-center": "Center Consoles", "power-commercial": "Commercial Boats", "power-convertible": "Convertible Boats", "power-cruiser": "Cruisers",
	"power-cruiseship": "Cruise Ships", "power-cuddy": "Cuddy Cabins", "power-deck": "Deck Boats", "power-dinghy": "Dinghies",
	"power-dive": "Dive Boats", "power-downeast": "Downeast", "power-dragger": "Draggers", "power-dualconsole": "Dual Consoles",
	"power-expresscruiser": "Express Cruisers", "power-flats": "Flats Boats", "power-flybridge": "Flybridge", "power-fresh": "Freshwater Fishing",
	"power-highperf": "High Performance", "power-house": "House Boats", "power-inflatable": "Inflatables", "power-jet": "Jet Boats",
	"power-jon": "Jon Boats", "power-lobster": "Lobster Boats", "power-mega": "Mega Yachts", "power-motor": "Motor Yachts",
	"power-motorsailer": "Motorsailers", "power-narrow": "Narrow Boats", "power-other": "Other", "power-passenger": "Passenger Boats",
	"power-pcatamaran": "Power Catamarans", "power-pilot": "Pilothouse", "power-pontoon": "Pontoon Boats", "power-pwc": "Personal Watercraft",
	"power-rib": "Rigid Inflatable Boats (RIB)", "power-rivercruiser": "River Cruisers", "power-runabout": "Runabouts",
	"power-saltfish": "Saltwater Fishing", "power-skiff": "Skiffs", "power-skifish": "Ski and Fish", "power-skiwake": "Ski and Wakeboard Boats",
	"power-sloop": "Sloops", "power-sportcruiser": "Sport Cruisers", "power-sportfish": "Sport Fishing Boats", "power-tender": "Tenders",
	"power-trawler": "Trawlers", "power-troller": "Trollers", "power-tug": "Tugboats", "power-unspec": "Other", "power-util": "Utility Boats",
	"power-walk": "Walkarounds",

	"sail-antique": "Antique and Classics", "sail-barge": "Barges", "sail-beachcat": "Beach Catamarans", "sail-catamaran": "Catamarans",
	"sail-centercockpit": "Center Cockpits", "sail-commercial": "Commercial Boats", "sail-cruiser": "Cruisers", "sail-cutter": "Cutters",
	"sail-day": "Daysailers", "sail-deck": "Deck Saloons", "sail-dinghy": "Dinghies", "sail-ketch": "Ketches", "sail-motor": "Motorsailers",
	"sail-multihull": "Multi-Hulls", "sail-other": "Other", "sail-performance": "Performance Sailboats", "sail-pilot": "Pilothouse",
	"sail-racer": "Racing Sailboats", "sail-racercruiser": "Racers and Cruisers", "sail-schooner": "Schooners", "sail-sloop": "Sloops",
	"sail-trimaran": "Trimarans", "sail-unspec": "Other", "sail-yawl": "Yawls",

	"unpowered-dinghy": "Dinghies", "unpowered-kayak": "Kayaks", "unpowered-tender": "Tenders",
}
