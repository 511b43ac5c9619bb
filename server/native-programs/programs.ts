import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
export const agentSources = resolve(root, 'agent/native')
const kubernetesSources = resolve(root, 'kubernetes/native')
const confineSources = resolve(root, 'reader/confine')

export interface NativeProgram {
  /** A library is loaded into processes that are linked dynamically; everything else is static. */
  kind: 'program' | 'library'
  /** Folder of the sources and headers. */
  folder: string
  sources: readonly string[]
  /** Further arguments of the compiler. */
  flags?: readonly string[]
  /** Arguments after the sources, which use them. */
  libraries?: readonly string[]
}

const inAgent = (...sources: string[]): NativeProgram => ({
  kind: 'program',
  folder: agentSources,
  sources,
})

/** From the sources for pods to those of the agent, parts of which they share. */
const fromPods = '../../agent/native'
const podCommon = ['common/host-ids.c', 'common/reach.c']

const inPod = (...sources: string[]): NativeProgram => ({
  kind: 'program',
  folder: kubernetesSources,
  sources,
  flags: [`-I${fromPods}`],
})

/** Starts process 1 of a sandbox, in the shim. */
export const launcherSources = ['launcher', 'description', 'root', 'rights'].map(
  (name) => `launcher/${name}.c`,
)

/** Every native program of the service, by the name of its file. */
export const nativePrograms = {
  /** Makes and supervises one sandbox. */
  shim: inAgent(
    ...['shim', 'plan', 'clients', 'input', 'record', 'outcome', 'runtime', 'space'].map(
      (name) => `shim/${name}.c`,
    ),
    ...['cgroups', 'devices', 'mounts', 'network'].map((name) => `shim/confine/${name}.c`),
    ...['log', 'mask', 'mask-forms'].map((name) => `shim/log/${name}.c`),
    ...['collect', 'known', 'outputs'].map((name) => `shim/collect/${name}.c`),
    ...launcherSources,
    ...['common/clock.c', 'common/sha256.c'],
  ),
  /** Starts shims. */
  spawner: inAgent('spawner/spawner.c'),
  /** Makes network links. */
  links: inAgent('links/links.c', 'links/tracked.c'),
  /** Resolves names for sandboxes. */
  resolver: inAgent(
    ...['resolver', 'confine', 'dns', 'questions', 'shares', 'streams', 'lists', 'refusals', 'control'].map(
      (name) => `resolver/${name}.c`,
    ),
    'common/clock.c',
  ),
  /** Process 1 of a sandbox. */
  init: inAgent('init/init.c', 'init/program.c', 'init/account.c'),
  /** Unpacks an image inside a sandbox. */
  unpack: inAgent('unpack/unpack.c', 'unpack/tar.c', 'unpack/entries.c'),
  /** Takes the place of both programs of a pod, to see how a cluster confines it. */
  'pod-probe': inPod('pod-probe/main.c', 'pod-probe/job.c', 'pod-probe/network.c', ...podCommon),
  /** Process 1 of a job's container in a pod. */
  'pod-init': inPod(
    ...['main', 'connections', 'confine', 'relay'].map((name) => `pod-init/${name}.c`),
    'common/host-ids.c',
    ...['program', 'account'].map((name) => `${fromPods}/init/${name}.c`),
  ),
  /** The second container of a pod: what a shim is on a host, and the connection to the gateway. */
  collector: {
    ...inPod(
      ...'main exchange errand gateway start peer follow meter results parts'
        .split(' ')
        .map((name) => `collector/${name}.c`),
      ...podCommon,
      ...'outcome log/log log/mask log/mask-forms collect/collect collect/known collect/outputs'
        .split(' ')
        .map((name) => `${fromPods}/shim/${name}.c`),
      ...['clock', 'sha256'].map((name) => `${fromPods}/common/${name}.c`),
    ),
    libraries: ['-lmbedtls', '-lmbedx509', '-lmbedcrypto'],
  },
  /** Takes the place of libsystemd where crun is loaded. */
  'no-systemd.so': {
    kind: 'library',
    folder: agentSources,
    sources: ['no-systemd/no-systemd.c'],
    flags: ['-nostdlib', '-Wl,-soname,libsystemd.so.0', '-Wl,--version-script=no-systemd/versions.map'],
  },
  /** Starts archive readers. */
  'reader-start': { kind: 'program', folder: confineSources, sources: ['reader-start.c'] },
  /** Gives an archive reader its filter of system calls. */
  'seal.so': { kind: 'library', folder: confineSources, sources: ['seal.c'] },
  /** Hides the memory of a process from others of its user. */
  'not-dumpable.so': { kind: 'library', folder: confineSources, sources: ['not-dumpable.c'] },
} as const satisfies Record<string, NativeProgram>

export type NativeName = keyof typeof nativePrograms

const common = [
  ...['-O2', '-std=gnu11', '-Wall', '-Wextra', '-Wconversion', '-Wno-sign-conversion', '-Werror', '-I.'],
  // The C library of Debian defines _FORTIFY_SOURCE for nobody: 3 checks sizes known only at run time too.
  ...['-D_FORTIFY_SOURCE=3', '-fstack-protector-strong', '-fstack-clash-protection', '-fcf-protection'],
  ...['-Wl,-z,relro', '-Wl,-z,now', '-Wl,-z,noexecstack', '-Wl,-z,separate-code', '-Wl,--build-id=none'],
]

/** Arguments of the compiler. */
export const flagsOf: Record<NativeProgram['kind'], readonly string[]> = {
  program: [...common, '-fPIE', '-static-pie'],
  library: [...common, '-fPIC', '-shared'],
}
