#!/bin/sh
# The password comes from the environment, so that it is in no file of the image.
set -eu
umask 077
printf '"citewell" "%s"\n' "${POSTGRES_PASSWORD:?}" >/tmp/users.txt
exec pgbouncer /etc/citewell/pgbouncer.ini
