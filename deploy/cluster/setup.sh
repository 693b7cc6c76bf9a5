#!/bin/sh
# setup.sh FOLDER [NAME] creates a CA, a certificate for the hosts and the proxy (also for NAME), the token of a first principal and the
# store's password, unless they exist.
set -eu
umask 077
cd "$1"
name=${2:-localhost}
user=65532 # the hosts run as this user (Dockerfile)

if [ ! -f tokens ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj "/CN=fcp-host cluster" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign -keyout ca.key -out ca.pem
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" -keyout host.key -out host.csr
  {
    echo "subjectAltName=DNS:$name,DNS:localhost,DNS:a,DNS:b,DNS:c,DNS:hosts,IP:127.0.0.1"
    echo extendedKeyUsage=serverAuth
  } > host.ext
  openssl x509 -req -in host.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 825 -extfile host.ext -out host.pem
  openssl rand -hex 24 > pgpassword
  printf '*:*:*:*:%s\n' "$(cat pgpassword)" > pgpass
  printf 'admin %s\n' "$(openssl rand -hex 24)" > tokens.new
  rm host.csr host.ext
  chmod 644 ca.pem host.pem pgpassword # the store runs as another user than the hosts
  if [ "$(id -u)" = 0 ]; then
    chmod 755 .
    chown $user host.key pgpass tokens.new
  fi
  mv tokens.new tokens # last, so that an interrupted setup starts over
fi
if [ "$(id -u)" = 0 ] && [ -d /work ] && [ -d /cache ]; then
  chown $user /work /cache
fi
