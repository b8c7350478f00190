"""Patents: `patent_search` is the service, the tool and the command; `patent_records` the values."""
