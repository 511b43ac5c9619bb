import { posix } from 'node:path'
import { type AllowList, allowListProblem } from '../port/allow-list.ts'
import { ExecutorRefused } from '../port/errors.ts'
import { type SandboxSpec, sandboxRuntimes } from '../port/sandbox-spec.ts'
import { imageDigestPattern, sandboxIdPattern } from '../protocol/requests.ts'

const MiB = 1024 * 1024

/**
 * Checks every value of a spec that came over the socket: the agent is root, and its caller is not. Throws
 * `ExecutorRefused` with the slug `spec_invalid` and the name of the field.
 */
export function checkedSpec(value: unknown): SandboxSpec {
  const spec = value as SandboxSpec
  checkIdentity(spec)
  checkLimits(spec)
  checkCollect(spec)
  return spec
}

function need(condition: boolean, field: string): asserts condition {
  if (!condition) throw new ExecutorRefused('spec_invalid', `the sandbox's ${field} is not acceptable`)
}

const isText = (value: unknown, limit: number): value is string =>
  typeof value === 'string' && !value.includes('\0') && Buffer.byteLength(value) <= limit

const isWhole = (value: unknown, minimum: number, maximum: number) =>
  Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= maximum

function checkIdentity(spec: SandboxSpec): void {
  need(typeof spec === 'object' && spec !== null, 'description')
  need(typeof spec.id === 'string' && sandboxIdPattern.test(spec.id), 'id')
  need(spec.claimedAt === undefined || isTime(spec.claimedAt), 'claimedAt')
  const rootfs = spec.rootfs
  const image = rootfs?.kind === 'image' && imageDigestPattern.test(String(rootfs.digest))
  need(image || rootfs?.kind === 'builder', 'rootfs')
  need(sandboxRuntimes.includes(spec.runtime), 'runtime')
  need(spec.confinement !== 'build' || spec.runtime !== 'runsc', 'runtime')
  need(spec.confinement === 'job' || spec.confinement === 'build', 'confinement')
  need(Array.isArray(spec.argv) && spec.argv.length >= 1 && spec.argv.length <= 256, 'argv')
  need(spec.argv.every((word) => isText(word, 128 * 1024)) && spec.argv[0] !== '', 'argv')
  need(typeof spec.env === 'object' && spec.env !== null, 'env')
  const variables = Object.entries(spec.env)
  need(variables.length <= 1024, 'env')
  need(
    variables.every(([name, text]) => /^[^=\0]{1,1024}$/.test(name) && isText(text, 128 * 1024)),
    'env',
  )
  need(isWhole(spec.user?.uid, 0, 65_535) && isWhole(spec.user?.gid, 0, 65_535), 'user')
  need(spec.network === 'none' || isWhole(spec.network?.egressCapBytes, 0, 2 ** 50), 'network')
  need(hasIngressCap(spec), 'network.ingressCapBytes')
  need(isRegistry(spec), 'network.registry')
  need(isService(spec), 'network.service')
  need(isRecorded(spec), 'network.recorded')
  need(hasMirrors(spec), 'network.mirrors')
  need(spec.network === 'none' || isAllowList(spec.network.allow), 'network.allow')
  need(spec.owner === undefined || isWhole(spec.owner, 1, Number.MAX_SAFE_INTEGER), 'owner')
  need(typeof spec.hostname === 'string' && /^[a-z0-9][a-z0-9-]{0,62}$/.test(spec.hostname), 'hostname')
}

const isTime = (value: unknown): boolean => isText(value, 32) && !Number.isNaN(Date.parse(value))

const hasIngressCap = ({ network }: SandboxSpec): boolean =>
  network === 'none' ||
  network.ingressCapBytes === undefined ||
  isWhole(network.ingressCapBytes, 0, Number.MAX_SAFE_INTEGER)

const isRegistry = ({ network, rootfs, confinement }: SandboxSpec): boolean =>
  network === 'none' ||
  network.registry === undefined ||
  (network.registry === true && rootfs.kind === 'builder' && confinement === 'job')

const isService = ({ network, rootfs, confinement }: SandboxSpec): boolean =>
  network === 'none' ||
  network.service === undefined ||
  (network.service === true && rootfs.kind === 'image' && confinement === 'job')

/** Names that a build reached are shown as they are, so no other sandbox is recorded: it may have values to mask. */
const isRecorded = ({ network, confinement }: SandboxSpec): boolean =>
  network === 'none' ||
  network.recorded === undefined ||
  (network.recorded === true && confinement === 'build')

const hasMirrors = ({ network, confinement }: SandboxSpec): boolean =>
  network === 'none' ||
  network.mirrors === undefined ||
  (network.mirrors === true && network.recorded === true && confinement === 'build')

function isAllowList(allow: unknown): boolean {
  if (allow === undefined) return true
  if (typeof allow !== 'object' || allow === null) return false
  const { names, ranges } = allow as Record<keyof AllowList, unknown>
  return isTexts(names) && isTexts(ranges) && !allowListProblem({ names, ranges })
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string')

function checkLimits({ limits }: SandboxSpec): void {
  need(typeof limits === 'object' && limits !== null, 'limits')
  need(isWhole(limits.timeoutMs, 1, 7 * 86_400_000), 'limits.timeoutMs')
  need(limits.graceMs === undefined || isWhole(limits.graceMs, 0, 60_000), 'limits.graceMs')
  need(isWhole(limits.memoryBytes, 16 * MiB, 2 ** 45), 'limits.memoryBytes')
  const shown = limits.shownMemoryBytes
  need(shown === undefined || isWhole(shown, MiB, limits.memoryBytes), 'limits.shownMemoryBytes')
  need(isWhole(limits.workspaceBytes, MiB, 2 ** 45), 'limits.workspaceBytes')
  need(limits.workspaceKind === 'memory' || limits.workspaceKind === 'disk', 'limits.workspaceKind')
  need(isWhole(limits.workspaceInodes, 64, 2 ** 31), 'limits.workspaceInodes')
  need(typeof limits.vcpu === 'number' && limits.vcpu >= 0.05 && limits.vcpu <= 256, 'limits.vcpu')
  need(isWhole(limits.pids, 1, 32_768), 'limits.pids')
  need(isWhole(limits.openFiles, 16, 2 ** 20), 'limits.openFiles')
  need(isWhole(limits.logBytes, 1024, 2 ** 32), 'limits.logBytes')
}

function checkCollect({ collect }: SandboxSpec): void {
  need(typeof collect === 'object' && collect !== null && Array.isArray(collect.files), 'collect')
  need(collect.files.length <= 16, 'collect.files')
  for (const file of collect.files) {
    need(typeof file?.name === 'string' && /^[a-z0-9_.-]{1,64}$/.test(file.name), 'collect.files')
    need(isCollectPath(file.path) && file.path !== '/workspace', 'collect.files')
    need(isWhole(file.maxBytes, 0, 2 ** 45), 'collect.files')
  }
  for (const part of ['tree', 'folder'] as const) {
    const tree = collect[part]
    if (tree === undefined) continue
    const name = `collect.${part}`
    need(typeof tree === 'object' && tree !== null, name)
    need(isCollectPath(tree.path), name)
    need(isWhole(tree.maxFiles, 0, 1_000_000) && isWhole(tree.maxBytes, 0, 2 ** 45), name)
    need(isWhole(tree.maxPathBytes, 1, 4000) && isWhole(tree.maxNameBytes, 1, 255), name)
  }
}

const isCollectPath = (path: unknown): path is string =>
  isText(path, 1024) &&
  !path.includes('\n') &&
  posix.normalize(path) === path &&
  (path === '/workspace' || path.startsWith('/workspace/')) &&
  !path.endsWith('/')
