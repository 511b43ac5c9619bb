import { statSync } from 'node:fs'
import type { OciSpec } from '../../agent/bundle/oci-spec.ts'
import { ensureProgram } from './debian-packages.ts'

const program = '/usr/bin/bwrap'

/** Debian's bubblewrap, for the sandbox of `spec` as far as it can make it. */
export async function bubblewrap(spec: OciSpec): Promise<{ command: string[]; notes: string[] }> {
  await ensureProgram(program, ['bubblewrap'])
  return {
    command: [
      ...[program, '--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts'],
      ...['--unshare-cgroup', '--as-pid-1', '--hostname', spec.hostname, '--cap-drop', 'ALL'],
      ...['--bind', spec.root.path, '/'],
      ...spec.mounts.flatMap(mountWords),
      ...spec.linux.maskedPaths.filter((path) => path.startsWith('/proc')).flatMap(maskWords),
      ...['--clearenv', '--chdir', spec.process.cwd, ...spec.process.args.slice(2)],
    ],
    notes: [
      'bubblewrap: ids of root alone, no filter of system calls, no limits, no read-only paths, and no init before the program',
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

function maskWords(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isDirectory() ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]
}
