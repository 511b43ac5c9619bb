import { programsPath, sourcePath } from '../../../reader/dockerfile/check-step.ts'

/**
 * The program of the steps that `reader/dockerfile/copy-checks.ts` adds. Arguments: the line of the instruction, its keyword, the
 * destination and the sources, in which variables of the build stand. It runs in the image as the image's user, with nothing but its
 * own shell, and fails if the instruction would put a folder in the place of a link or a file, or a file in the place of
 * a folder. Where a name is not certain, it lets the instruction pass.
 */
const program = `
tools=${programsPath}/busybox from=${sourcePath} IFS=
line=$1 keyword=$2
eval "dest=\\"$3\\""
shift 3
refuse() {
  printf 'Dockerfile:%s: %s cannot copy to non-directory: %s is %s in the image, and a folder would take its place. Copy into the folder itself, or remove it in a RUN step first.\\n' "$line" "$keyword" "$1" "$2"
  exit 1
}
folder_to() {
  if [ -L "$1" ]; then refuse "$1" "a link to $($tools readlink "$1")"; fi
  if [ -e "$1" ] && [ ! -d "$1" ]; then refuse "$1" 'a file'; fi
}
file_to() {
  if [ -d "$1" ] && [ ! -L "$1" ]; then
    printf 'Dockerfile:%s: %s cannot replace a folder: %s is one in the image, and a file would take its place. Remove it in a RUN step first.\\n' "$line" "$keyword" "$1"
    exit 1
  fi
}
walk() {
  local path place
  for path in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    place="\${2%/}/\${path##*/}"
    if [ -L "$path" ] || [ -f "$path" ]; then file_to "$place"
    elif [ -d "$path" ]; then
      folder_to "$place"
      if [ -d "$place" ]; then walk "$path" "$place"; fi
    fi
  done
}
archive() {
  for unpack in cat zcat bzcat xzcat; do
    $tools $unpack "$1" 2>/dev/null | $tools tar -tf - 2>/dev/null | while read -r name; do
      name="\${name#./}"
      case $name in ?*/) folder_to "\${2%/}/\${name%/}" ;; esac
    done || exit 1
  done
}
for word in "$@"; do
  eval "word=\\"$word\\""
  for path in $from/\${word#/}; do
    links=0
    while [ -L "$path" ] && [ $links -lt 16 ]; do
      links=$((links + 1)) target=$($tools readlink "$path")
      case $target in /*) path=$from$target ;; *) path="\${path%/*}/$target" ;; esac
    done
    if [ -d "$path" ]; then walk "\${path%/}" "$dest"
    elif [ -f "$path" ] && [ "$keyword" = ADD ]; then archive "$path" "$dest"
    elif [ -f "$path" ] && [ -d "$dest" ]; then file_to "\${dest%/}/\${path##*/}"
    fi
  done
done
exit 0
`

/** Writes the program and its shell into the folder \`check\`. */
export const writeCopyCheck = `
mkdir check && cp /.sandbox/busybox check/busybox
cat >check/check <<'END'
${program}END
`
