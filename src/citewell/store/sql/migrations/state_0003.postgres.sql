ALTER TABLE account SET (fillfactor = 50);
ALTER TABLE job SET (fillfactor = 60);
