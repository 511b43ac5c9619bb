import type { SandboxSpec } from '../../executor/port.ts'

const mib = 1024 ** 2
const gib = 1024 ** 3

/** The compressed layers of one base image, and what it unpacks to. */
export const maxPulledBytes = 4 * gib
/** A manifest is a list of descriptors; the builder's own bound is the same. */
export const maxManifestBytes = 4 * mib
/** Acknowledgements of what comes, and little else. */
const egressCapBytes = 512 * mib

/**
 * Takes what to log in with, what to trust and where the registry is from standard input, a line of base64 each, empty
 * where there is none. `$1` is `host/repository` with a tag or a digest, checked by the platform.
 */
const prepare = `
set -eu
umask 077
cd /workspace
IFS= read -r login
IFS= read -r authority
IFS= read -r hosts
printf %s "$hosts" | base64 -d >>/etc/hosts
mkdir certificates
[ -z "$authority" ] || printf %s "$authority" | base64 -d >certificates/authority.crt
printf %s "\${login:-e30=}" | base64 -d >login.json
pull() {
  verb=$1
  shift
  skopeo --insecure-policy --override-os linux --override-arch amd64 "$verb" "$@"
}
`

const resolveScript = `${prepare}
pull inspect --raw --authfile login.json --cert-dir certificates "docker://$1" >manifest
`

const fetchScript = `${prepare}
pull copy --quiet --src-authfile login.json --src-cert-dir certificates "docker://$1" dir:image
cd image
tar --format=ustar --numeric-owner --remove-files -cf ../image.tar manifest.json [0-9a-f]*
`

interface Pull {
  id: string
  reference: string
  /** From the operator's own registry, wherever that is. */
  isOwn: boolean
}

/** Asks a registry what it has under a name: the file `manifest`, as the registry gave it. */
export const resolveSandbox = (pull: Pull): SandboxSpec =>
  pullSandbox(pull, {
    script: resolveScript,
    file: { name: 'manifest', path: '/workspace/manifest', maxBytes: maxManifestBytes },
    limits: { timeoutMs: 60_000, workspaceKind: 'memory', workspaceBytes: 16 * mib },
  })

/** Fetches an image by its digest: the file `image`, a tar of its manifest and blobs. */
export const fetchSandbox = (pull: Pull): SandboxSpec =>
  pullSandbox(pull, {
    script: fetchScript,
    file: { name: 'image', path: '/workspace/image.tar', maxBytes: maxPulledBytes },
    limits: { timeoutMs: 15 * 60_000, workspaceKind: 'disk', workspaceBytes: 2 * maxPulledBytes },
  })

/** The tool of the builder's root filesystem as an ordinary job: no capability, and the network of jobs. */
function pullSandbox(
  { id, reference, isOwn }: Pull,
  part: {
    script: string
    file: SandboxSpec['collect']['files'][number]
    limits: Pick<SandboxSpec['limits'], 'timeoutMs' | 'workspaceKind' | 'workspaceBytes'>
  },
): SandboxSpec {
  return {
    id,
    rootfs: { kind: 'builder' },
    argv: ['/bin/sh', '-c', part.script, 'pull', reference],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/workspace', LANG: 'C.UTF-8' },
    user: { uid: 0, gid: 0 },
    hostname: 'pull',
    runtime: 'crun',
    confinement: 'job',
    network: { egressCapBytes, ...(isOwn && { registry: true }) },
    limits: {
      memoryBytes: 512 * mib,
      workspaceInodes: 4096,
      vcpu: 1,
      pids: 256,
      openFiles: 1024,
      logBytes: 64 * 1024,
      ...part.limits,
    },
    collect: { files: [part.file] },
  }
}
