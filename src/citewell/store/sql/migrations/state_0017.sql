CREATE TABLE open_circuit (
    name TEXT PRIMARY KEY,
    until DOUBLE PRECISION NOT NULL,
    limited BIGINT NOT NULL
);
