import { checkFolderName } from '../../../reader/dockerfile/check-step.ts'
import { mirrorFolder } from '../network/mirror-settings.ts'
import { endLog, startLog } from './build-log.ts'
import { modelledBuildah } from './builder-version.ts'
import { writeCopyCheck } from './copy-check.ts'
import { exportLayer, mountImage } from './export-layer.ts'
import { workingDirectoryFile, writeMountCheck } from './mount-check.ts'

/** Exit codes of the script itself, not of the Dockerfile. */
export const buildExitCodes = {
  /** The context could not be unpacked completely, or the disk had no room left for work files. */
  contextNotUnpacked: 97,
  baseImageUnavailable: 96,
  /** The builder cannot read a base image from a registry. */
  baseImageMalformed: 93,
  onbuildForbidden: 95,
  exportFailed: 94,
  /** The steps made a file with a whiteout name; the last line of the log has the name. */
  whiteoutName: 92,
  /** The builder has a version that the Dockerfile checks do not know. */
  builderUnknown: 91,
  /** The image has files below /workspace; the last line of the log has the path of one. */
  workspaceFilled: 90,
} as const

/** Unpacks the context from standard input, and writes the builder's configuration. */
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
# Settings of package mirrors. Steps see this /dev, read-only.
[ ! -e mirrors ] || { chmod -R a+rX mirrors && cp -R mirrors ${mirrorFolder}; }
${writeCopyCheck}${writeMountCheck}
# The builder's pivot_root fails after the switch, since the flags of this sandbox's root cannot change.
export BUILDAH_NOPIVOT=1
`

/**
 * Steps run in a chroot, which confines every process that may not call chroot itself. Their capabilities are listed in
 * containers.conf above. SYS_CHROOT is dropped here too, since without that file the builder would use its own default list.
 */
const confined = '--isolation chroot --cap-drop CAP_SYS_CHROOT'
/**
 * Docker's format has the SHELL of steps, which the builder follows in that format only. The files that a build does not see
 * are left out of its context before it starts, so the builder itself ignores none.
 */
export const buildCommand = `buildah bud ${confined} --pull-never --layers=false --platform linux/amd64 --format docker --ignorefile /dev/null --build-context ${checkFolderName}=/workspace/check`

/** The last line of `steps` when the builder ended by itself. */
export const builderEnded = 'ended'
export const maxStepsBytes = 1024 ** 2

/**
 * Imports base image `number` into the builder's store, if it was delivered (`builder-input.ts`), under the name
 * `base` from the Dockerfile. For a name without a host the builder uses `localhost`. The digest that a name pins may be
 * that of an index; the index is then stored with the image.
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
 * Imports the base images in the arguments and the cached stages (`builder-input.ts`), and prints their digests after the
 * earlier log. A part of a build has a generated Dockerfile.
 */
const importBases = `
[ ! -e prefixes/log ] || cat prefixes/log
version=$(sed -n '/^Package: buildah$/,/^$/s/^Version: \\([0-9.]*\\).*/\\1/p' /var/lib/dpkg/status)
echo "buildah version $version"
case "$version" in "${modelledBuildah}."*) ;; *)
  echo "Nothing is built: Dockerfiles are checked for buildah ${modelledBuildah} here, and the builder has another version. Please tell the operator."
  exit ${buildExitCodes.builderUnknown}
esac
number=0 layer_base= newline='
'
for base in "$@"; do
  ${importBase}
  found=$(buildah inspect --type image --format '{{len .Docker.Config.OnBuild}} {{.FromImageDigest}} {{.FromImageID}}
{{.Docker.Config.WorkingDir}};' "$base" 2>/dev/null) || {
    echo "base image $base is not on this deployment"
    exit ${buildExitCodes.baseImageUnavailable}
  }
  printf %s "\${found#*"$newline"}" >"check/${workingDirectoryFile}$((number - 1))"
  found=\${found%%"$newline"*}
  [ "$base" != "\${LAYER_BASE:-}" ] || layer_base=\${found##* }
  found=\${found% *}
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
[ ! -e prefixes/notes ] || cat prefixes/notes
[ ! -e notes ] || cat notes
dockerfile=context/Dockerfile
[ ! -e Dockerfile ] || dockerfile=Dockerfile
`

/**
 * Refuses files with whiteout names (`.wh.`): the builder writes them into the layer, and the files that they name
 * disappear from the image without an error. The builder keeps the tar headers of new layers (tar-split). Its own whiteouts
 * are empty files of mode 0; an opaque whiteout has the mode of its folder.
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

/** The same check for the layer of a part of a build, the last in its manifest. The full build then fails the same check. */
const refuseWhiteoutsOfStage = `
layer=$(grep -o 'sha256:[0-9a-f]*' manifest.json | tail -n 1)
tar --numeric-owner --quoting-style=escape -tvf "\${layer#sha256:}" | perl -ne '
  next unless my ($mode, $size, $opaque) = /^(\\S+) \\S+ +(\\d+) \\S+ \\S+ (?:.*\\/)?\\.wh\\.(\\.wh\\.\\.opq)?[^\\/]*\\/?$/;
  next if !$size && ($opaque ? $mode =~ /x/ : $mode eq "----------");
  exit ${buildExitCodes.whiteoutName};
' || exit ${buildExitCodes.whiteoutName}
`

/**
 * Refuses files of the mounted image, those of its base image too, that the disk of a run at /workspace would hide, and warns where
 * there are only folders. A step that falsifies this misleads only its own company.
 */
const refuseHiddenFiles = `
hidden=$(find "$root/workspace" -mindepth 1 ! -type d -printf '%P' -quit 2>/dev/null | head -c 200)
[ -z "$hidden" ] || {
  echo "The image has /workspace/$hidden. A run has a disk of its own at /workspace, which hides what an image has there. Put it elsewhere, for example below WORKDIR /app."
  exit ${buildExitCodes.workspaceFilled}
}
hidden=$(find "$root/workspace" -mindepth 1 -printf x -quit 2>/dev/null || :)
[ -z "$hidden" ] && ! grep -q '"WorkingDir": *"/workspace/*"' config.json ||
  echo "warning: /workspace is the disk of a run, which is empty at first. WORKDIR and folders there count in the build only."
`

/** Writes the whole tree at `$root` into a tar. */
export const exportTree = `tar -C "$root" --numeric-owner --sort=name --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' -cf image.tar .`

/**
 * Builds from the images in the arguments. Writes the builder's progress into `steps`
 * (`dockerfile/failed-instruction.ts`), then the image and its configuration.
 */
export const buildFromBases = `${importBases}
# Space for the steps is allocated first, so that a full disk does not hide which instruction filled it.
: >steps
fallocate --keep-size --length ${maxStepsBytes} steps || exit ${buildExitCodes.contextNotUnpacked}
mkfifo steps.pipe
cat steps.pipe >>steps &
: >started
${startLog}
built=yes
# If the image has its name, the build is complete: buildah's cleanup fails for a stage that only names a base image.
${buildCommand} --log-rusage --rusage-logfile steps.pipe -t sandbox-build -f "$dockerfile" context >&3 2>&3 ||
buildah inspect --type image sandbox-build >/dev/null 2>&1 || built=no
${endLog}
[ $built = yes ] || {
  wait
  echo ${builderEnded} >>steps
  exit 1
}
${refuseWhiteouts}
${mountImage} || exit ${buildExitCodes.exportFailed}
${refuseHiddenFiles}
${exportLayer}
[ -e layered ] || ${exportTree} || exit ${buildExitCodes.exportFailed}
`

/**
 * The program of a build sandbox, run by the builder's own shell. It is platform text; all tenant input
 * arrives as the tar on standard input and as base references in the arguments.
 *
 * A Dockerfile step can reach everything in this sandbox, so none of its output is trusted: exit codes only
 * choose between coded failures, and the image and its configuration are checked outside. Only the first lines of the
 * log are trusted, which list versions and digests: the script prints them before any step, after the earlier log that the
 * sandbox was given (`prefixes/log`), whose length is known.
 */
export const buildScript = prepareBuilder + buildFromBases

/**
 * Writes the base image in the argument as one tree, which is a layer below the images that are built on it. The time of its
 * top folder, which no host keeps, is `$LAYER_MARK`, so that the layers of two companies never have the same digest.
 */
export const baseLayerScript = `${prepareBuilder}${importBases}
container=$(buildah from --pull-never "$1") || exit ${buildExitCodes.exportFailed}
root=$(buildah mount "$container") && touch -d "@$LAYER_MARK" "$root" || exit ${buildExitCodes.exportFailed}
${exportTree} || exit ${buildExitCodes.exportFailed}
`

/**
 * Builds a part, and writes it as an image with its layers into a tar: the manifest, then the blobs. Layers of the operator's
 * base images are omitted, since every builder has them.
 */
export const cachedStageScript = `${prepareBuilder}${importBases}
${startLog}
${buildCommand} -t dir:/workspace/made -f "$dockerfile" context >&3 2>&3 || true
${endLog}
[ -e made/manifest.json ]
cd made
${refuseWhiteoutsOfStage}
for blob in [0-9a-f]*; do
  ! grep -qs "sha256:$blob" /base-images/overlay-layers/layers.json || rm "$blob"
done
tar --format=ustar --numeric-owner --remove-files -cf ../image.tar manifest.json [0-9a-f]*
`
