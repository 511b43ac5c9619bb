import type { OciSpec } from '../../agent/bundle/oci-spec.ts'
import { storageIdBase } from '../../agent/host/id-ranges.ts'
import { ensureProgram } from './debian-packages.ts'

const program = '/usr/bin/bwrap'

/** Debian's bubblewrap, for the sandbox of `spec` as far as it can make it. */
export async function bubblewrap(
  spec: OciSpec,
): Promise<{ wrapper: string[]; command: string[]; notes: string[] }> {
  await ensureProgram(program, ['bubblewrap'])
  return {
    wrapper: ['/bin/sh', '-euc', userNamespace, 'sh'],
    command: [
      ...[program, '--userns', '9', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts'],
      ...['--unshare-cgroup', '--as-pid-1', '--hostname', spec.hostname, '--cap-drop', 'ALL'],
      ...['--bind', spec.root.path, '/'],
      ...spec.mounts.flatMap(mountWords),
      ...spec.linux.maskedPaths.filter((path) => path.startsWith('/proc')).flatMap(maskWords),
      ...['--clearenv', '--chdir', spec.process.cwd, ...spec.process.args],
    ],
    notes: [
      'bubblewrap: its user namespace exists; no filter of system calls, no limits, no read-only paths',
    ],
  }
}

function mountWords({ destination, type, source }: OciSpec['mounts'][number]): string[] {
  switch (type) {
    case 'proc':
      return ['--proc', destination]
    case 'tmpfs':
      return destination === '/dev' ? ['--dev', destination] : ['--tmpfs', destination]
    case 'bind':
      return ['--ro-bind', source, destination]
    default:
      return []
  }
}

const maskWords = (path: string): string[] => ['--ro-bind-try', '/dev/null', path]

/** Leaves a user namespace with the ids of a sandbox open as descriptor 9, then executes its arguments. */
const userNamespace = `
unshare --user /bin/sleep 100 & holder=$!
until [ "$(readlink /proc/$holder/ns/user)" != "$(readlink /proc/self/ns/user)" ]; do :; done
for kind in uid gid; do echo "0 ${storageIdBase} 65536" >/proc/$holder/\${kind}_map; done
exec 9</proc/$holder/ns/user
kill $holder
exec "$@"
`
