import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { promisify } from 'node:util'
import type { CompiledFilters } from '../../bundle/compiled-filters.ts'
import { runtimeInput } from '../../bundle/runtimes.ts'
import { planText } from '../../bundle/shim-plan.ts'
import { ociSpec } from '../../bundle/spec.ts'
import { shownGroups } from '../../host/cgroups.ts'
import type { Link } from '../../network/link-maker.ts'
import type { LinkUse, Network } from '../../network/network.ts'
import { isClosed } from '../../port/allow-list.ts'
import { ExecutorRefused } from '../../port/errors.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import {
  type ReservedRecord,
  reserveStartRecord,
  type StartRecord,
  writeStartRecord,
} from '../records/start-record.ts'
import { planMessage } from '../shim/plan-message.ts'
import { type Shim, startShim } from '../shim/shim.ts'
import type { Spawner } from '../shim/spawner.ts'
import { type InternalSandbox, type PlanOptions, planSandbox } from './sandbox-plan.ts'

export interface MakeOptions extends PlanOptions {
  network: Network
  spawner: Spawner
  filters: CompiledFilters
}

/** A sandbox whose shim is started: its program starts only after the agent's start signal. */
export interface MadeSandbox {
  name: string
  folder: string
  idBase: number
  link?: Link
  shim: Shim
  /** Stream to the shim. If it closes without a start signal, the shim ends the sandbox. */
  input: Writable
  /** Reserved space for the start record; absent if the sandbox is made for a known start. */
  reservedRecord?: ReservedRecord
}

interface SandboxRequest {
  name: string
  spec: SandboxSpec
  idBase: number
  internal?: InternalSandbox | undefined
  /** The start that it is made for; absent: it is made in advance, with space for its start record. */
  startRecord?: StartRecord
}

/** Takes a network link if the spec has one, writes the files that a shim reads, and starts the shim. On failure the caller removes the folder. */
export async function makeSandbox(options: MakeOptions, request: SandboxRequest): Promise<MadeSandbox> {
  const { network, owner } = request.spec
  if (network === 'none') return makeWith(options, request, undefined)
  const link = await options.network.take(useOf(request.spec), { ...network, owner })
  try {
    return { ...(await makeWith(options, request, link)), link }
  } catch (error) {
    options.network.release(link)
    throw error
  }
}

function useOf({ confinement, rootfs, network }: SandboxSpec): LinkUse {
  if (confinement === 'build') return 'builds'
  if (network !== 'none' && network.service && isClosed(network.allow)) return 'service'
  return rootfs.kind === 'builder' ? 'pulls' : 'jobs'
}

async function makeWith(
  options: MakeOptions,
  { name, spec, idBase, internal, startRecord }: SandboxRequest,
  link: Link | undefined,
): Promise<MadeSandbox> {
  const folder = join(options.paths.sandboxes, name)
  const plan = await planSandbox(options, { name, spec, idBase, link, folder, internal })
  mkdirSync(folder, { mode: 0o700 })
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text, { mode: 0o600 })
  const confinement = internal?.confinement ?? spec.confinement
  const { filters } = options
  const groups = shownGroups(options.cgroups, options.cgroupParent, name)
  const made = { idBase, arch: process.arch, confinement, filters, groups }
  const { file, text } = runtimeInput(spec.runtime, ociSpec(spec, made))
  if (file) write(file, text)
  if (plan.workspace.kind === 'disk') await makeDisk(plan.workspace.path, spec, idBase)
  const group = options.processors.shimGroup(spec.owner)
  const message = planMessage(planText(plan), file ? '' : text)
  const start = () => startShim(options.spawner, { folder, group, plan: message })
  if (startRecord) {
    writeStartRecord(folder, link ? { ...startRecord, link } : startRecord)
    return { name, folder, idBase, ...(await start()) }
  }
  const reservedRecord = await reserveStartRecord(folder, spec)
  try {
    return { name, folder, idBase, reservedRecord, ...(await start()) }
  } catch (error) {
    await reservedRecord.file.close()
    throw error
  }
}

const run = promisify(execFile)

/** Makes a sparse file with an ext4 file system whose root folder belongs to the sandbox. It is removed with the sandbox. */
async function makeDisk(path: string, spec: SandboxSpec, idBase: number): Promise<void> {
  const file = await open(`${path}.new`, 'wx', 0o600)
  await file.truncate(spec.limits.workspaceBytes)
  await file.close()
  const features = ['-O', '^has_journal', '-m', '0', '-N', String(spec.limits.workspaceInodes)]
  const quick = `root_owner=${idBase}:${idBase},lazy_itable_init=1,nodiscard`
  try {
    await run('mkfs.ext4', ['-q', '-F', ...features, '-E', quick, `${path}.new`])
  } catch (error) {
    throw new ExecutorRefused('workspace_disk', `a disk for the sandbox cannot be made: ${String(error)}`)
  }
  await rename(`${path}.new`, path)
}
