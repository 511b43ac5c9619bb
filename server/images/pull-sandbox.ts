import { runtimeOf, type SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import { maxManifestBytes, maxPulledBytes } from '../../reader/images/image-manifest.ts'
import { apiHost } from './registries.ts'
import { probeProgram, refusedByRegistry } from './registry-probe.ts'

const mib = 1024 ** 2

/** A pull sends little more than requests and acknowledgements. */
const egressCapBytes = 512 * mib

/** Maximum size of what the probe prints. */
const maxAnswerBytes = 1024

/**
 * Reads login, certificate authority and host entries from standard input, a line of base64 each, empty if there is none.
 * `$1` is `host/repository` with a tag or a digest, checked by the platform; `$2` to `$4` are the same for the API: host, path,
 * tag or digest.
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
cat >probe.pl <<'END'
${probeProgram}END
probe() {
  perl probe.pl "$1" "$2" "$3" >answered 2>/dev/null
  code=$?
  mv answered answer
  return $code
}
pull() {
  verb=$1
  shift
  skopeo --insecure-policy --override-os linux --override-arch amd64 "$verb" "$@"
}
`

const resolveScript = `${prepare}
probe "$2" "$3" "$4" || { [ $? != ${refusedByRegistry} ] || exit ${refusedByRegistry}; }
pull inspect --raw --authfile login.json --cert-dir certificates "docker://$1" >manifest
`

const fetchScript = `${prepare}
pull copy --quiet --src-authfile login.json --src-cert-dir certificates "docker://$1" dir:image || {
  failed=$?
  probe "$2" "$3" "$4" || :
  exit $failed
}
cd image
tar --format=ustar --numeric-owner --remove-files -cf ../image.tar manifest.json [0-9a-f]*
`

interface Pull {
  id: string
  /** `host[:port]`. */
  host: string
  /** `host[:port]/path`. */
  repository: string
  /** A tag or a digest. */
  reference: string
  /** Whether the image is in the operator's registry, which may have a private address. */
  isOwn: boolean
}

/**
 * Resolves a name at a registry: the file `manifest` has the registry's document, unchanged. The file `answer` has what the
 * registry answered to the probe, for a resolution and for a pull that failed.
 */
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

/** Runs skopeo from the builder's root filesystem as an ordinary job: no capabilities, and the network of jobs. */
function pullSandbox(
  { id, host, repository, reference, isOwn }: Pull,
  part: {
    script: string
    file: SandboxSpec['collect']['files'][number]
    limits: Pick<SandboxSpec['limits'], 'timeoutMs' | 'workspaceKind' | 'workspaceBytes'>
  },
): SandboxSpec {
  const separator = reference.includes(':') ? '@' : ':'
  return {
    id,
    rootfs: { kind: 'builder' },
    argv: [
      ...['/bin/sh', '-c', part.script, 'pull', `${repository}${separator}${reference}`],
      ...[apiHost(host), repository.slice(host.length + 1), reference],
    ],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/workspace', LANG: 'C.UTF-8' },
    user: { uid: 0, gid: 0 },
    hostname: 'pull',
    runtime: runtimeOf.standard,
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
    collect: { files: [part.file, { name: 'answer', path: '/workspace/answer', maxBytes: maxAnswerBytes }] },
  }
}
