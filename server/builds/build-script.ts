import { modelledBuildah } from './builder-version.ts'

/** Exit codes of the script that are not the Dockerfile's. */
export const buildExitCodes = {
  /** The context could not be unpacked whole, or left no room to work in. */
  contextNotUnpacked: 97,
  baseImageUnavailable: 96,
  /** A base image out of a registry is none that the builder can read. */
  baseImageMalformed: 93,
  onbuildForbidden: 95,
  exportFailed: 94,
  /** The steps made a name by which layers delete; the last line of the log says which. */
  whiteoutName: 92,
  /** The builder is of another version than the gate knows. */
  builderUnknown: 91,
} as const

/** Unpacks the context that arrives on standard input, and tells the builder where things are. */
export const prepareBuilder = `
set -eu
umask 022
cd /workspace
mkdir -p storage tmp
tar -xf - 2>/dev/null || exit ${buildExitCodes.contextNotUnpacked}
[ -e complete ] || exit ${buildExitCodes.contextNotUnpacked}

mkdir -p /etc/containers
cat >/etc/containers/storage.conf <<END
[storage]
driver = "overlay"
graphroot = "/workspace/storage"
runroot = "/run/containers"
[storage.options]
additionalimagestores = ["/base-images"]
END
cat >/etc/containers/containers.conf <<END
[containers]
default_capabilities = ["CHOWN","DAC_OVERRIDE","FOWNER","FSETID","KILL","SETGID","SETUID","SETPCAP","SETFCAP"]
END
echo 'unqualified-search-registries = []' >/etc/containers/registries.conf
echo '{"default":[{"type":"insecureAcceptAnything"}]}' >/etc/containers/policy.json
export TMPDIR=/workspace/tmp
`

/**
 * Steps run in a chroot of the builder's, which holds whoever has no right to make another. The list of what they are left
 * is in containers.conf above; here once more, since without that file the builder would go by a list of its own.
 */
const confined = '--isolation chroot --cap-drop CAP_SYS_CHROOT'
const builder = `buildah bud ${confined} --pull-never --layers=false --platform linux/amd64`
export const buildCommand = `${builder} --format oci`
/** Docker's format keeps the shell of steps, which that of OCI has no place for. */
const prefixCommand = `${builder} --format docker`

/** The last line of `steps` when the builder ended by itself. */
export const builderEnded = 'ended'
export const maxStepsBytes = 1024 ** 2

/**
 * Puts base image `number` into the builder's store, where it was delivered (`bases/deliver-bases.ts`), under the name
 * `base` by which the Dockerfile knows it. A name without a host is the builder's own, `localhost`. The digest that a
 * name pins may be that of an index, which is then put beside the image.
 */
const importBase = `if [ -e "bases/$number/image.tar" ]; then
    case "$base" in *[.:A-Z]*/*) name=$base ;; *) name=localhost/$base ;; esac
    mkdir image && tar -xf "bases/$number/image.tar" -C image && rm "bases/$number/image.tar" &&
      if [ -e "bases/$number/index" ]; then
        digest=$(sha256sum <image/manifest.json)
        mv image/manifest.json "image/\${digest%% *}.manifest.json" && mv "bases/$number/index" image/manifest.json
      fi &&
      skopeo --override-os linux --override-arch amd64 copy --quiet dir:image "containers-storage:$name" &&
      rm -r image || exit ${buildExitCodes.baseImageMalformed}
  fi
  number=$((number + 1))`

/**
 * Puts the base images in the arguments, and prefixes of stages (`prefixes/deliver-prefixes.ts`), where the builder finds
 * them, and says by their digests what they are, behind what was printed before this build. A part of a build has a Dockerfile of its own.
 */
const takeBases = `
[ ! -e prefixes/log ] || cat prefixes/log
version=$(buildah --version)
echo "$version"
case "$version" in "buildah version ${modelledBuildah}."*) ;; *)
  echo "Nothing is built: Dockerfiles are checked for buildah ${modelledBuildah} here, and the builder is another. Tell the operator."
  exit ${buildExitCodes.builderUnknown}
esac
number=0
for base in "$@"; do
  ${importBase}
  found=$(buildah inspect --type image --format '{{len .Docker.Config.OnBuild}} {{.FromImageDigest}}' "$base" 2>/dev/null) || {
    echo "base image $base is not on this deployment"
    exit ${buildExitCodes.baseImageUnavailable}
  }
  [ "\${found% *}" = 0 ] || {
    echo "base image $base has ONBUILD instructions, which are not allowed"
    exit ${buildExitCodes.onbuildForbidden}
  }
  echo "base \${found#* } $base"
done
for image in prefixes/*/image.tar; do
  [ -e "$image" ] || continue
  folder=\${image%/image.tar}
  tar -xf "$image" -C "$folder" && rm "$image" || exit ${buildExitCodes.contextNotUnpacked}
  digest=$(sha256sum <"$folder/manifest.json")
  echo "prefix sha256:\${digest%% *} \${folder#prefixes/}"
done
[ ! -e prefixes/told ] || cat prefixes/told
dockerfile=context/Dockerfile
[ ! -e Dockerfile ] || dockerfile=Dockerfile
`

/**
 * Looks for files whose names a layer takes for deletions (`.wh.`): the builder writes them into the layer, and what they
 * name is gone from the image without an error. The headers of the layers that were made are kept by the builder
 * (tar-split); its own deletions are empty files of mode 0, and of the mode of the folder where one hides all below.
 */
const refuseWhiteouts = `
find storage/overlay-layers -newer started -name '*.tar-split.gz' -exec gzip -dc {} + | perl -ne '
  $header = $1 if /^{"type":2,"payload":"([^"]*)"/;
  next unless my ($name, $opaque, $size) = /^{"type":1,"name":"((?:[^"]*\\/)?\\.wh\\.(\\.wh\\.\\.opq)?[^"\\/]*\\/?)"(,"size":[1-9])?/;
  $header =~ tr#A-Za-z0-9+/##cd;
  $header =~ tr#A-Za-z0-9+/# -_#;
  my $bytes = join "", map { unpack "u", chr(32 + length($_) * 3 / 4) . $_ } $header =~ /.{1,60}/g;
  my $mode = oct substr $bytes, -512 + 100, 7;
  next if !$size && ($opaque ? $mode & 0111 : $mode == 0);
  printf "an image cannot have the name %.200s\\n", $name;
  exit ${buildExitCodes.whiteoutName};
' || exit ${buildExitCodes.whiteoutName}
`

/** The same for the layer of a part of a build, the last in its manifest: what is refused here is refused again with the rest. */
const refuseWhiteoutsOfPrefix = `
layer=$(grep -o 'sha256:[0-9a-f]*' manifest.json | tail -n 1)
tar --numeric-owner --quoting-style=escape -tvf "\${layer#sha256:}" | perl -ne '
  next unless my ($mode, $size, $opaque) = /^(\\S+) \\S+ +(\\d+) \\S+ \\S+ (?:.*\\/)?\\.wh\\.(\\.wh\\.\\.opq)?[^\\/]*\\/?$/;
  next if !$size && ($opaque ? $mode =~ /x/ : $mode eq "----------");
  exit ${buildExitCodes.whiteoutName};
' || exit ${buildExitCodes.whiteoutName}
`

/**
 * Builds from the images in the arguments, and writes down what came of it: in `steps` how far the builder came
 * (`dockerfile/failed-instruction.ts`), then the image and its configuration.
 */
export const buildFromBases = `${takeBases}
# Room for the steps is taken beforehand: a full disk is not to hide where it was filled.
: >steps
fallocate --keep-size --length ${maxStepsBytes} steps || exit ${buildExitCodes.contextNotUnpacked}
mkfifo steps.pipe
cat steps.pipe >>steps &
: >started
# An image has its name when all is done: clearing up after it, buildah fails over a stage that only names a base image.
${buildCommand} --log-rusage --rusage-logfile steps.pipe -t sandbox-build -f "$dockerfile" context ||
buildah inspect --type image sandbox-build >/dev/null 2>&1 || {
  wait
  echo ${builderEnded} >>steps
  exit 1
}
${refuseWhiteouts}
container=$(buildah from --pull-never sandbox-build) || exit ${buildExitCodes.exportFailed}
root=$(buildah mount "$container") || exit ${buildExitCodes.exportFailed}
buildah inspect --type image --format '{{.Config}}' sandbox-build >config.json || exit ${buildExitCodes.exportFailed}
tar -C "$root" --numeric-owner --sort=name --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' -cf image.tar . || exit ${buildExitCodes.exportFailed}
`

/**
 * The program of a build sandbox, run by the builder's own shell. It is platform text; everything a tenant wrote
 * arrives as the tar on standard input and as base references in the arguments.
 *
 * A Dockerfile step can reach everything in this sandbox, so nothing it leaves behind is believed: exit codes
 * choose between coded failures, and the image and its configuration are checked outside. Only the first lines of the
 * log can be believed, which say what builds on what: they come before any step, and behind nothing but the log that the
 * sandbox was given (`prefixes/log`), whose length is known.
 */
export const buildScript = prepareBuilder + buildFromBases

/**
 * Builds a part, and leaves it as an image with its layers, in a tar: the manifest, then the blobs. Layers of the operator's
 * base images are left out: every builder has them.
 */
export const prefixScript = `${prepareBuilder}${takeBases}
${prefixCommand} -t dir:/workspace/made -f "$dockerfile" context || [ -e made/manifest.json ]
cd made
${refuseWhiteoutsOfPrefix}
for blob in [0-9a-f]*; do
  ! grep -qs "sha256:$blob" /base-images/overlay-layers/layers.json || rm "$blob"
done
tar --format=ustar --numeric-owner --remove-files -cf ../image.tar manifest.json [0-9a-f]*
`
