ALTER TABLE session SET (fillfactor = 60);
