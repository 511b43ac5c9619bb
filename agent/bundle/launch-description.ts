import { stagingFolder } from '../host/paths.ts'
import type { OciMount, OciSpec } from './oci-spec.ts'

/** Of the format; the launcher refuses every other one. */
const version = '2'

/** Devices and links that the OCI specification has every runtime make, as crun does. The shim makes the nodes. */
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
const links: [string, string][] = [
  ['/dev/fd', '/proc/self/fd'],
  ['/dev/stdin', '/proc/self/fd/0'],
  ['/dev/stdout', '/proc/self/fd/1'],
  ['/dev/stderr', '/proc/self/fd/2'],
  ['/dev/core', '/proc/kcore'],
  ['/dev/ptmx', 'pts/ptmx'],
]

const mountFlags = new Set(['ro', 'nosuid', 'nodev', 'noexec', 'strictatime'])

/**
 * The description of a sandbox for the launcher (native/launcher/description.c): crun's configuration as a flat list, so the two cannot
 * differ. A field that the launcher has no step for is an error here, and does not compile.
 */
export function launchDescription(spec: OciSpec): string {
  const { ociVersion: _, root, hostname, process, mounts, linux, annotations, ...others } = spec
  const { terminal, args, env, cwd, user, capabilities, noNewPrivileges, rlimits, ...otherRights } = process
  const {
    namespaces,
    uidMappings,
    gidMappings,
    maskedPaths,
    readonlyPaths,
    sysctl,
    seccomp,
    ...otherCovers
  } = linux
  const { 'run.oci.seccomp_bpf_data': filter, ...otherAnnotations } = annotations
  for (const rest of [others, otherRights, otherCovers, otherAnnotations]) needNothing(rest)
  need(!terminal && !root.readonly && noNewPrivileges && seccomp === undefined, 'the process')
  const words = [
    ['version', version],
    ['hostname', hostname],
    ['root', root.path],
    ['folder', cwd],
    ...namespaces.map(namespaceWords),
    ...uidMappings.map((ids) => ['uid_map', mapText(ids)]),
    ...gidMappings.map((ids) => ['gid_map', mapText(ids)]),
    ...mounts.map(mountWords),
    ...devices.map((name) => ['device', `/dev/${name}`, `${stagingFolder}/devices/${name}`]),
    ...links.map((link) => ['link', ...link]),
    ...Object.entries(sysctl ?? {}).map((setting) => ['setting', ...setting]),
    ...readonlyPaths.map((path) => ['read_only', path]),
    ...maskedPaths.map((path) => ['masked', path]),
    ...rlimits.map(({ type, soft, hard }) => ['limit', cut(type, 'RLIMIT_'), String(soft), String(hard)]),
    ['user', String(user.uid), String(user.gid), user.umask.toString(8)],
    ...oneSet(capabilities).map((name) => ['capability', cut(name, 'CAP_')]),
    ...(filter === undefined ? [] : [['filter', filter]]),
    ...args.map((word) => ['argument', word]),
    ...env.map((variable) => ['variable', variable]),
    ['end'],
  ]
  return words
    .flat()
    .map((word) => `${word}\0`)
    .join('')
}

function need(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(`the launcher cannot apply ${what}`)
}

const needNothing = (rest: Record<string, never>): void =>
  need(Object.keys(rest).length === 0, Object.keys(rest).join())

/** A namespace that exists is entered before the launcher starts. */
function namespaceWords({ type, path }: OciSpec['linux']['namespaces'][number]): string[] {
  need(path === undefined, `an existing ${type} namespace`)
  return ['namespace', type]
}

const mapText = ({ containerID, hostID, size }: OciSpec['linux']['uidMappings'][number]) =>
  `${containerID} ${hostID} ${size}`

/** A tree of the host has no type, and is mounted with what lies below it. */
function mountWords({ destination, type, source, options }: OciMount): string[] {
  const isTree = type === 'bind'
  const given = options.filter((option) => !(isTree && /^r?bind$/.test(option)))
  const flags = given.filter((option) => mountFlags.has(option))
  const own = given.filter((option) => !mountFlags.has(option))
  need(!isTree || own.length === 0, `${own.join()} of ${destination}`)
  return ['mount', destination, isTree ? '' : type, source, flags.join(), own.join()]
}

/** The launcher has one set of capabilities: bounding, permitted and effective, of which nothing is inherited. */
function oneSet({ bounding, effective, permitted, inheritable, ambient, ...others }: Capabilities): string[] {
  needNothing(others)
  const sets = [bounding, effective, permitted].map((set) => set.toSorted().join())
  need(
    new Set(sets).size === 1 && inheritable.length + ambient.length === 0,
    'different sets of capabilities',
  )
  return bounding
}
type Capabilities = OciSpec['process']['capabilities']

function cut(name: string, prefix: string): string {
  need(name.startsWith(prefix), name)
  return name.slice(prefix.length)
}
