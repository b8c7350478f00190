"""Everyday words for kinds of places, and the OpenStreetMap tags that mean the same."""

from __future__ import annotations

import unicodedata
from functools import cache

# One kind a line: its tags (any of those between bars; a comma needs both), then words for it.
_KIND_TABLE = """
amenity=cafe | shop=coffee: cafe, coffee, coffee shop, coffee house, coffeehouse, coffee bar, coffee place, kaffee, kaffeehaus, cafeteria, caffe, cafetería, koffie
amenity=restaurant: restaurant, eatery, diner, bistro, brasserie, dinner, lunch, place to eat, food, gaststatte, ristorante, trattoria, restaurante, comida
amenity=fast_food: fast food, takeaway, take away, takeout, snack bar, imbiss, comida rapida
amenity=bar: bar, cocktail bar, wine bar, drinks, kneipe
amenity=pub: pub, beer, irish pub, tavern, brewpub
amenity=biergarten: beer garden, biergarten
amenity=ice_cream | shop=ice_cream: ice cream, ice cream shop, gelato, gelateria, eisdiele, glacier, heladeria
amenity=nightclub: nightclub, night club, club, disco, discotheque
amenity=food_court: food court
shop=bakery: bakery, bread, baker, backerei, boulangerie, panaderia, panificio
shop=pastry | shop=confectionery: pastry shop, patisserie, confectionery, candy shop, sweets, konditorei, pasteleria
shop=supermarket: supermarket, grocery store, grocery, groceries, supermarkt, supermarche, supermercado
shop=convenience: convenience store, corner shop, minimarket, spati
shop=butcher: butcher, butcher shop, metzgerei, boucherie, carniceria
shop=greengrocer: greengrocer, fruit shop, vegetable shop
shop=deli: deli, delicatessen
shop=alcohol | shop=wine: liquor store, wine shop, off licence, bottle shop
amenity=marketplace: market, farmers market, marketplace, markt, marche, mercado
shop=mall: mall, shopping mall, shopping centre, shopping center, einkaufszentrum, centre commercial, centro comercial
shop=department_store: department store, kaufhaus, grand magasin
shop=books: bookshop, bookstore, book store, books, buchhandlung, buchladen, librairie, libreria
shop=clothes: clothes shop, clothing store, clothes, fashion shop, boutique
shop=shoes: shoe shop, shoe store, shoes
shop=sports: sports shop, sporting goods, sports store
shop=outdoor: outdoor shop, camping shop
shop=bicycle: bike shop, bicycle shop, cycle shop, fahrradladen
amenity=bicycle_rental: bike rental, bicycle rental, bike hire, bike share
shop=electronics: electronics store, electronics shop, electronics
shop=computer: computer shop, computer store
shop=mobile_phone: phone shop, mobile phone shop
shop=hardware | shop=doityourself: hardware store, diy store, diy shop, baumarkt, ferreteria
shop=furniture: furniture store, furniture shop
shop=florist: florist, flower shop, flowers, blumenladen, fleuriste, floristeria
shop=garden_centre: garden centre, garden center, nursery
shop=gift: gift shop, souvenir shop, souvenirs
shop=toys: toy shop, toy store, toys
shop=jewelry: jeweller, jewelry store, jewellery shop, jewelry
shop=optician: optician, glasses shop, optiker, opticien, optica
shop=hairdresser: hairdresser, hair salon, barber, barbershop, barber shop, haircut, friseur, coiffeur, peluqueria, parrucchiere
shop=beauty: beauty salon, nail salon, nails, beauty
shop=massage: massage, massage parlour, massage parlor
shop=laundry: laundry, laundromat, launderette, waschsalon, laverie, lavanderia
shop=dry_cleaning: dry cleaner, dry cleaning
shop=pet: pet shop, pet store
shop=stationery: stationery, stationery shop, stationer
shop=music | shop=musical_instrument: music shop, music store, record shop
shop=second_hand | shop=charity: second hand shop, thrift store, charity shop
shop=newsagent | shop=kiosk: newsagent, kiosk
shop=tobacco: tobacconist, tobacco shop
shop=tailor | craft=tailor: tailor
shop=travel_agency: travel agency, travel agent
shop=car: car dealer, car dealership
shop=car_repair: car repair, garage, mechanic, auto repair, autowerkstatt
shop=tyres: tyre shop, tire shop
amenity=pharmacy: pharmacy, drugstore, chemist, apotheke, pharmacie, farmacia, apotek
amenity=hospital: hospital, emergency room, krankenhaus, hopital, ospedale
amenity=clinic: clinic, medical centre, medical center, walk in clinic, urgent care
amenity=doctors | healthcare=doctor: doctor, general practitioner, physician, arzt, medecin, medico
amenity=dentist | healthcare=dentist: dentist, dental clinic, zahnarzt, dentiste, dentista
amenity=veterinary: veterinary, vet, veterinarian, tierarzt, veterinaire, veterinario
healthcare=physiotherapist: physiotherapist, physical therapist, physiotherapy
healthcare=psychotherapist: psychotherapist, therapist
amenity=nursing_home | social_facility=nursing_home: nursing home, care home
amenity=bank: bank, banque, banco
amenity=atm: atm, cash machine, cash point, geldautomat, distributeur, cajero
amenity=bureau_de_change: currency exchange, money exchange, exchange office, bureau de change
amenity=post_office: post office, postamt, bureau de poste, oficina de correos
amenity=post_box: post box, mailbox, letter box
amenity=police: police, police station, polizei, comisaria
amenity=fire_station: fire station
amenity=townhall: town hall, city hall, rathaus, mairie, ayuntamiento
amenity=courthouse: courthouse, court
amenity=embassy | office=diplomatic: embassy, consulate, botschaft, ambassade, embajada
amenity=library: library, public library, bibliothek, bibliotheque, biblioteca
amenity=school: school, schule, ecole, escuela
amenity=kindergarten: kindergarten, preschool, creche, kita
amenity=childcare: childcare, daycare, day care
amenity=university: university, universitat, universite, universidad
amenity=college: college
amenity=language_school: language school
amenity=driving_school: driving school, fahrschule, auto ecole
amenity=community_centre: community centre, community center
amenity=place_of_worship,religion=christian: church, cathedral, chapel, kirche, eglise, iglesia, chiesa
amenity=place_of_worship,religion=muslim: mosque, moschee, mosquee, mezquita
amenity=place_of_worship,religion=jewish: synagogue
amenity=place_of_worship,religion=hindu: hindu temple
amenity=place_of_worship,religion=buddhist: buddhist temple
amenity=place_of_worship: place of worship, temple
amenity=cinema: cinema, movie theater, movie theatre, movies, kino, cine
amenity=theatre: theatre, theater, opera house, opera, teatro
amenity=arts_centre: arts centre, arts center
amenity=casino: casino
amenity=music_venue: music venue, concert hall
tourism=museum: museum, musee, museo
tourism=gallery: gallery, art gallery, galerie
tourism=hotel: hotel, accommodation, place to stay
tourism=hostel: hostel, youth hostel, jugendherberge, auberge de jeunesse
tourism=guest_house: guest house, guesthouse, bed and breakfast, b&b, pension
tourism=motel: motel
tourism=apartment: holiday apartment, apartment
tourism=camp_site: campsite, camp site, camping, campground, campingplatz
tourism=caravan_site: caravan site, rv park, motorhome stopover
tourism=attraction: attraction, tourist attraction, sight, sightseeing, things to do, sehenswurdigkeit
tourism=viewpoint: viewpoint, scenic view, lookout, aussichtspunkt, mirador
tourism=zoo: zoo
tourism=aquarium: aquarium
tourism=theme_park: theme park, amusement park
tourism=information: tourist information, tourist office, visitor center, visitor centre
tourism=picnic_site: picnic site, picnic area
historic=castle: castle, schloss, burg, chateau, castillo, castello
historic=monument | historic=memorial: monument, memorial, denkmal
historic=ruins: ruins
leisure=park: park, parc, parque, parco
leisure=garden: garden, botanical garden
leisure=playground: playground, spielplatz, aire de jeux
leisure=fitness_centre: gym, fitness, fitness centre, fitness center, fitness studio, fitnessstudio, gimnasio, palestra
leisure=sports_centre: sports centre, sports center, sports hall
leisure=swimming_pool | leisure=water_park: swimming pool, pool, water park, schwimmbad, piscine, piscina
leisure=stadium: stadium, arena
leisure=golf_course: golf course, golf
leisure=pitch,sport=tennis | leisure=sports_centre,sport=tennis: tennis court, tennis
leisure=pitch,sport=soccer: football pitch, soccer field
leisure=bowling_alley: bowling alley, bowling
leisure=ice_rink: ice rink, ice skating
leisure=sauna | amenity=public_bath: sauna, spa, bathhouse, hammam
leisure=dog_park: dog park
leisure=marina: marina
leisure=nature_reserve: nature reserve
sport=climbing: climbing gym, climbing hall, climbing, kletterhalle
sport=yoga: yoga studio, yoga
natural=beach: beach, strand, plage, playa, spiaggia
natural=peak: mountain, peak, summit
amenity=fuel: gas station, petrol station, fuel station, filling station, fuel, tankstelle, station service, gasolinera, benzinaio
amenity=charging_station: charging station, ev charger, ev charging, ev charging station, charging point, electric car charging, ladestation, ladesaule, borne de recharge, punto de recarga
amenity=parking: parking, car park, parking lot, parking garage, parkplatz, parkhaus, aparcamiento, parcheggio
amenity=bicycle_parking: bicycle parking, bike parking
amenity=car_wash: car wash
amenity=car_rental: car rental, car hire, rent a car, autovermietung
amenity=car_sharing: car sharing, carsharing
amenity=taxi: taxi, taxi stand, taxi rank
amenity=bus_station: bus station, bus terminal
highway=bus_stop: bus stop, bushaltestelle, arret de bus
railway=station: train station, railway station, station, bahnhof, gare, estacion
railway=subway_entrance | station=subway: subway, subway station, metro, metro station, underground station, u bahn
railway=tram_stop: tram stop, tram
aeroway=aerodrome: airport, flughafen, aeroport, aeropuerto, aeroporto
amenity=ferry_terminal: ferry, ferry terminal
amenity=toilets: toilet, public toilet, restroom, bathroom, wc, toilette, bano
amenity=drinking_water: drinking water, water fountain, drinking fountain
amenity=shower: shower
amenity=bench: bench
amenity=recycling: recycling, recycling centre, recycling center
amenity=vending_machine: vending machine
amenity=locksmith | craft=locksmith: locksmith, schlusseldienst
amenity=coworking_space | office=coworking: coworking, coworking space, co working space, shared office
amenity=internet_cafe: internet cafe
amenity=animal_shelter: animal shelter
amenity=events_venue: event venue, wedding venue
office=lawyer: lawyer, attorney, law firm, solicitor, anwalt, avocat, abogado
office=estate_agent: estate agent, real estate agent, realtor
office=insurance: insurance, insurance office
office=accountant | office=tax_advisor: accountant, tax advisor, steuerberater
craft=plumber: plumber, klempner, plombier
craft=electrician: electrician, elektriker, electricien
craft=carpenter: carpenter
craft=shoemaker | shop=shoe_repair: shoe repair, cobbler
craft=photographer | shop=photo: photographer, photo studio, photo shop
craft=brewery: brewery, brauerei
craft=winery: winery, vineyard, weingut
"""

# Words before (or instead of) "restaurant"; the tag has the same name unless another one is given.
_CUISINES = (
    "african american arab argentinian asian barbecue brazilian breakfast burger chinese ethiopian"
    " falafel fish french georgian german greek indian indonesian italian japanese kebab korean"
    " lebanese mediterranean mexican moroccan noodle pasta persian peruvian pizza polish portuguese"
    " ramen russian salad sandwich seafood spanish steak=steak_house steakhouse=steak_house sushi"
    " tapas thai turkish ukrainian vegetarian vietnamese bbq=barbecue pizzeria=pizza doner=kebab"
    " dumplings=dumpling noodles=noodle taco=mexican burrito=mexican curry=indian"
)
_DIETS = {"vegan": "diet:vegan=yes", "vegetarian": "diet:vegetarian=yes", "halal": "diet:halal=yes",
          "kosher": "diet:kosher=yes", "gluten free": "diet:gluten_free=yes"}  # fmt: skip
_EATING_PLACES = ("amenity=restaurant", "amenity=fast_food")


def fold_words(text: str) -> str:
    """The text in lower case without accents, for comparing: "Cafés" as "cafes"."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in folded if not unicodedata.combining(char))
    return " ".join(plain.replace("-", " ").replace("'", " ").replace("’", " ").split())


def find_place_kinds(words: str) -> tuple[str, ...]:
    """The tags of the kind of place that exactly these words name; empty if they name none."""
    folded = fold_words(words)
    for form in _list_singular_forms(folded):
        if kinds := _load_kinds().get(form):
            return kinds
    return _find_eating_kinds(folded)


def _find_eating_kinds(folded: str) -> tuple[str, ...]:
    """Tags for "italian restaurants", "sushi" and "vegan food"."""
    first, _, rest = folded.rpartition(" ")
    if first and find_place_kinds(rest)[:1] in (("amenity=restaurant",), ("amenity=fast_food",)):
        folded = first
    if diet := _DIETS.get(folded):
        return tuple(f"{place},{diet}" for place in _EATING_PLACES)
    for form in _list_singular_forms(folded):
        if cuisine := _load_cuisines().get(form):
            return tuple(f"{place},cuisine={cuisine}" for place in _EATING_PLACES)
    return ()


def _list_singular_forms(folded: str) -> tuple[str, ...]:
    """The words themselves, and what they may be the plural of."""
    forms = [folded]
    if folded.endswith("ies"):
        forms.append(folded[:-3] + "y")
    if folded.endswith(("es", "en")):
        forms.append(folded[:-2])
    if folded.endswith(("s", "n", "e", "x")):
        forms.append(folded[:-1])
    return tuple(forms)


@cache
def _load_kinds() -> dict[str, tuple[str, ...]]:
    kinds: dict[str, tuple[str, ...]] = {}
    for line in _KIND_TABLE.strip().splitlines():
        tags, words = line.rsplit(": ", 1)
        chosen = tuple(tag.strip() for tag in tags.split("|"))
        kinds |= {fold_words(word): chosen for word in words.split(",")}
    return kinds


@cache
def _load_cuisines() -> dict[str, str]:
    pairs = (word.partition("=") for word in _CUISINES.split())
    return {word: tag or word for word, _, tag in pairs}
