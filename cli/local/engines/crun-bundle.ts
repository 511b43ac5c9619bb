import type { SandboxPlan } from './engine.ts'

/** The user of the image's configuration as numbers; a name would have to be looked up in the image. */
export interface ImageUser {
  uid: number
  gid: number
}

const namespaces = ['pid', 'mount', 'ipc', 'uts']

/** The OCI runtime specification of a run. `folder` holds root, workspace and .sandbox. */
export const bundleOf = ({ argv, network }: SandboxPlan, folder: string, user: ImageUser): object => ({
  ociVersion: '1.0.0',
  root: { path: `${folder}/root`, readonly: false },
  hostname: 'job',
  process: {
    terminal: false,
    args: argv,
    // crun adds the HOME of the user.
    env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    cwd: '/workspace',
    user: { ...user, umask: 0o022 },
    capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
    noNewPrivileges: true,
  },
  mounts: [
    { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=64k'] },
    {
      destination: '/dev/shm',
      type: 'tmpfs',
      source: 'shm',
      options: ['nosuid', 'nodev', 'mode=1777', 'size=64m'],
    },
    ...['workspace', '.sandbox'].map((name) => ({
      destination: `/${name}`,
      type: 'bind',
      source: `${folder}/space/own/${name}`,
      options: ['rbind', 'nosuid', 'nodev'],
    })),
  ],
  linux: {
    namespaces: [...namespaces, ...(network ? [] : ['network'])].map((type) => ({ type })),
  },
})

/**
 * Runs as the first process of mount and process namespaces of its own: everything that the run writes is in one file system in memory, of the size that the
 * service gives it, above the image, which stays as it is. Files that it leaves are packed before the namespace goes. All
 * programs end when standard input ends, so also when the command dies.
 *
 * $1 the folder, $2 size in MiB, $3 options of the overlay; then the files of control groups to join.
 */
export const bundleScript = `
exec 2>&1 3<&0 < /dev/null
# Elsewhere the kill below would reach every process of the machine.
[ $$ = 1 ] || exit 125
folder=$1 size=$2 options=$3
shift 3
for file; do echo $$ > "$file" || exit 125; done
# crun refuses a machine with both versions of control groups, although it needs neither.
mount -t tmpfs tmpfs /sys/fs/cgroup/unified 2> /dev/null
cd "$folder" &&
mount -t tmpfs -o "size=\${size}m,mode=755" tmpfs space &&
mkdir space/upper space/work space/own &&
mount -t overlay -o "lowerdir=lower,upperdir=space/upper,workdir=space/work$options" overlay root &&
tar -xo -f archive.tar -C space/own || exit 125
# Repeated, because crun may be about to start the program.
{ read -r _ <&3; while :; do kill -s KILL -- -1; sleep 0.1; done; } &
watcher=$!
crun --root "$folder/state" --cgroup-manager=disabled run --bundle "$folder" job 3<&-
code=$?
kill -s KILL $watcher
wait $watcher 2> /dev/null
[ -e space/own/.sandbox/started ] || exit 125
for name in output.json artifacts; do
  if [ -e "space/own/workspace/$name" ] || [ -L "space/own/workspace/$name" ]; then
    tar -cf "$name.tar" -C space/own/workspace "$name" || exit 125
  fi
done
echo $code > code
`
