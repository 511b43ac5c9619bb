import { programsPath } from '../../../reader/dockerfile/check-step.ts'

/** The file beside the program that has the working directory of base image N. */
export const workingDirectoryFile = 'workdir.'

/**
 * The program of the steps that `reader/dockerfile/mount-checks.ts` adds. Arguments: the line of the instruction, and for each mount its
 * kind and its target. It runs in the image as the image's user, with nothing but its own shell, and fails where the builder
 * could follow a link on the way to a target: one of the image, one in a folder that this user may not see, or one that
 * a step left in a cache or a stage.
 */
const program = `
tools=${programsPath}/busybox line=$1
shift
refuse() {
  printf 'Dockerfile:%s: the target %s of a mount is refused: %s\\n' "$line" "$1" "$2"
  exit 1
}
walk() {
  local rest="\${1#/}" at= part
  while [ -n "$rest" ]; do
    part="\${rest%%/*}"
    case $rest in */*) rest="\${rest#*/}" ;; *) rest= ;; esac
    case $part in ''|.) continue ;; ..) refuse "$1" 'it has .. in it.' ;; esac
    if [ ! -x "$at/" ]; then refuse "$1" "the user of the step may not look into $at. Choose another place, or set USER after this step."; fi
    at="$at/$part"
    if [ -L "$at" ]; then refuse "$1" "$at is a symbolic link in the image. Write the path that it leads to."; fi
    if [ ! -e "$at" ]; then return; fi
    if [ -n "$rest" ] && [ ! -d "$at" ]; then refuse "$1" "$at is a file in the image."; fi
  done
}
targets= filled=
while [ $# -gt 0 ]; do
  kind=$1 target=$2
  shift 2
  case $target in @*)
    base="\${target%%/*}"
    directory=$($tools cat "${programsPath}/${workingDirectoryFile}\${base#@}")
    directory="\${directory%;}"
    case $directory in *[!A-Za-z0-9_.+~/-]*) refuse "$target" 'the WORKDIR of the base image has unusual characters. Write it as an absolute path.' ;; esac
    target="/\${directory#/}/\${target#*/}" ;;
  esac
  target="\${target%/}"
  walk "$target"
  targets="$targets $target"
  if [ $kind = steps ]; then filled="$filled $target"; fi
done
for target in $targets; do
  for other in $filled; do
    case $target in "\${other%/}"/*) refuse "$target" "it lies in the mount at $other, where a step may have left links. Mount it elsewhere." ;; esac
  done
done
exit 0
`

/** Writes the program into the folder \`check\`. */
export const writeMountCheck = `
cat >check/mounts <<'END'
${program}END
`
