"""Searches by domain: news, images, patents, filings, law, series, trials, places, brands and answers."""
