#!/usr/bin/env bash
# Builds the inference image without a container engine: runs the steps of inference/Dockerfile, for processors, in a Debian root made by
# mmdebstrap, starts the service there as the image's user, and asks it for /readyz, one detection and the video engine. Needs root, mmdebstrap, curl,
# unshare and setpriv:
#
#   sudo inference/scripts/build-root.sh [FOLDER]
#
# The root stays in FOLDER, if one is given.
set -euo pipefail

REPOSITORY=$(cd "$(dirname "$0")/../.." && pwd)
DOCKERFILE=$REPOSITORY/inference/Dockerfile
KEEP=${1:-}
WORK=$(mktemp -d)
ROOT=${KEEP:-$WORK/root}
TOKEN=$(head -c 24 /dev/urandom | base64)
SERVICE=

finish() {
  if [ -n "$SERVICE" ]; then
    kill "$SERVICE" 2>/dev/null || true
    wait "$SERVICE" 2>/dev/null || true
  fi
  for place in proc dev/null dev/urandom; do
    if mountpoint --quiet "$ROOT/$place"; then umount "$ROOT/$place"; fi
  done
  rm -rf --one-file-system "$WORK"
}
trap finish EXIT

step() { printf '\n== %s\n' "$1"; }

# The image's own words decide: which Node, whose user, which command.
NODE_VERSION=$(sed -nE 's/^FROM node:([0-9.]+)-bookworm-slim AS dependencies$/\1/p' "$DOCKERFILE")
IMAGE_USER=$(sed -nE 's/^USER ([0-9]+):([0-9]+)$/\1/p' "$DOCKERFILE")
IMAGE_GROUP=$(sed -nE 's/^USER ([0-9]+):([0-9]+)$/\2/p' "$DOCKERFILE")
INSTALL_STEP=$(sed -nE 's/^RUN (npm ci .*)$/\1/p' "$DOCKERFILE")
MODEL_STEP=$(sed -nE '/^RUN cd node_modules\/@gutenye/,/-delete$/p' "$DOCKERFILE" | sed -E '1s/^RUN //; s/\\$//' | tr '\n' ' ')
for value in "$NODE_VERSION" "$IMAGE_USER" "$IMAGE_GROUP" "$INSTALL_STEP" "$MODEL_STEP"; do
  [ -n "$value" ] || { echo "inference/Dockerfile is not written as this script expects." >&2; exit 1; }
done

step "A Debian root with Node $NODE_VERSION"
mkdir -p "$ROOT"
mmdebstrap --quiet --variant=minbase --include=libstdc++6,ca-certificates,ffmpeg bookworm "$ROOT"
mkdir -p "$WORK/node"
(cd "$WORK/node" && npm init --yes >/dev/null && npm install --silent --ignore-scripts "node@$NODE_VERSION" && node node_modules/node/installArchSpecificPackage.js >/dev/null)
install -m 755 "$(find "$WORK/node" -path '*/bin/node' -type f -size +1M | head -1)" "$ROOT/usr/local/bin/node"
mkdir -p "$ROOT/dev" "$ROOT/proc"
for device in null urandom; do
  if [ ! -e "$ROOT/dev/$device" ]; then touch "$ROOT/dev/$device"; fi
  mount --bind "/dev/$device" "$ROOT/dev/$device"
done
mount -t proc proc "$ROOT/proc"
[ "$(chroot "$ROOT" node --version)" = "v$NODE_VERSION" ]

step "RUN npm ci, and the files of the final stage"
BUILD=$WORK/build
mkdir -p "$BUILD/inference" "$BUILD/packages/client"
cd "$REPOSITORY"
cp package.json package-lock.json .npmrc "$BUILD/"
cp inference/package.json "$BUILD/inference/"
cp packages/client/package.json "$BUILD/packages/client/"
(cd "$BUILD" && eval "$INSTALL_STEP" && eval "$MODEL_STEP")
mkdir -p "$ROOT/app/inference"
cp -a "$BUILD/node_modules" "$ROOT/app/"
cp inference/package.json "$ROOT/app/inference/"
cp -a inference/src inference/models inference/published "$ROOT/app/inference/"
mkdir -p "$ROOT/app/src/work/video" "$ROOT/app/src/pixels/redaction" "$ROOT/app/src/ground/platform"
cp -a src/work/video/engine "$ROOT/app/src/work/video/"
cp -a src/pixels/redaction/bytes "$ROOT/app/src/pixels/redaction/"
cp -a src/ground/platform/clock.ts "$ROOT/app/src/ground/platform/"
chown -R root:root "$ROOT/app"
chmod -R go=rX "$ROOT/app"
rm -f "$ROOT/app/inference/models/chosen.json"

step "CMD, as user $IMAGE_USER"
PORT=${PORT:-0}
chroot "$ROOT" /usr/bin/setpriv --reuid "$IMAGE_USER" --regid "$IMAGE_GROUP" --clear-groups --no-new-privs \
  /usr/bin/env --chdir=/app NODE_ENV=production HOST=127.0.0.1 PORT="$PORT" PROVIDER=cpu FFMPEG=native INFERENCE_TOKEN="$TOKEN" \
  node inference/src/main.ts >"$WORK/service.log" 2>&1 &
SERVICE=$!

address() { sed -nE 's/.*"event":"listening".*"port":([0-9]+).*/http:\/\/127.0.0.1:\1/p' "$WORK/service.log" | head -1; }
for _ in $(seq 120); do
  kill -0 "$SERVICE" 2>/dev/null || { cat "$WORK/service.log"; echo "The service ended." >&2; exit 1; }
  if [ -n "$(address)" ] && curl -fsS -o /dev/null "$(address)/readyz" 2>/dev/null; then READY=yes && break; fi
  sleep 1
done
[ "${READY:-}" = yes ] || { cat "$WORK/service.log"; echo "/readyz did not answer 200 within two minutes." >&2; exit 1; }
echo "/readyz answers 200"
[ "$(awk '/^Uid:/ { print $2 }' "/proc/$SERVICE/status")" = "$IMAGE_USER" ]
echo "The service runs as user $(awk '/^Uid:/ { print $2 }' "/proc/$SERVICE/status")"

step "One detection"
ANSWER=$(curl -fsS "$(address)/v1/detections" -H "Authorization: Bearer $TOKEN" \
  -F 'request={"categories":["heads","license_plates"]};type=application/json' \
  -F frames=@docs/pictures/street-before.jpg)
echo "$ANSWER" | head -c 600
echo
echo "$ANSWER" | grep -q '"category":"heads"' || { echo "No head was found in docs/pictures/street-before.jpg." >&2; exit 1; }
step "The video engine"
curl -fsS "$(address)/v1/abilities" -H "Authorization: Bearer $TOKEN" | grep '"avc"'
echo "The image's steps work."
