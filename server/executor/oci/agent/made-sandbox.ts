import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import type { SandboxSpec } from '../../port.ts'
import type { CompiledFilters } from '../compiled-filters.ts'
import type { Link } from '../network/link-maker.ts'
import type { Network } from '../network/network.ts'
import { planText } from '../plan.ts'
import { ociSpec } from '../spec.ts'
import { type Keeper, startKeeper } from './keeper.ts'
import { type PlanOptions, planSandbox, type Special } from './sandbox-plan.ts'
import type { Spawner } from './spawner.ts'
import { reserveTicket, type TicketRoom } from './ticket.ts'
import { makeDisk } from './workspace-disk.ts'

export interface MakeOptions extends PlanOptions {
  network: Network
  spawner: Spawner
  filters: CompiledFilters
}

/** A sandbox whose shim makes it, or has made it: its program starts at the agent's word, and never without. */
export interface MadeSandbox {
  name: string
  folder: string
  idBase: number
  link?: Link
  keeper: Keeper
  /** To the shim. Closed without a word, it ends the sandbox. */
  input: Writable
  /** Room for the ticket; absent where the sandbox is made for the one that asked. */
  ticketRoom?: TicketRoom
}

interface Asked {
  name: string
  spec: SandboxSpec
  idBase: number
  special?: Special | undefined
  /** Made before it is asked for: with room for its ticket on disk, for whatever start takes it. */
  early?: boolean
}

/** Takes a network link if one is asked for, writes what a shim reads, and starts it. The folder is left to the caller when it fails. */
export async function makeSandbox(options: MakeOptions, asked: Asked): Promise<MadeSandbox> {
  const { network, rootfs, owner } = asked.spec
  if (network === 'none') return makeWith(options, asked, undefined)
  const use = rootfs.kind === 'builder' ? 'pulls' : 'jobs'
  const link = await options.network.take(use, { ...network, owner })
  try {
    return { ...(await makeWith(options, asked, link)), link }
  } catch (error) {
    options.network.release(link)
    throw error
  }
}

async function makeWith(
  options: MakeOptions,
  { name, spec, idBase, special, early }: Asked,
  link: Link | undefined,
): Promise<MadeSandbox> {
  const folder = join(options.paths.sandboxes, name)
  const plan = await planSandbox(options, { name, spec, idBase, link, folder, special })
  mkdirSync(folder, { mode: 0o700 })
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text, { mode: 0o600 })
  const confinement = special?.confinement ?? spec.confinement
  const { filters } = options
  write('config.json', JSON.stringify(ociSpec(spec, { idBase, arch: process.arch, confinement, filters })))
  write('plan', planText(plan))
  if (plan.workspace.kind === 'disk') await makeDisk(plan.workspace.path, spec, idBase)
  if (!early) return { name, folder, idBase, ...(await startKeeper(options.spawner, folder)) }
  const ticketRoom = await reserveTicket(folder, spec)
  try {
    return { name, folder, idBase, ticketRoom, ...(await startKeeper(options.spawner, folder)) }
  } catch (error) {
    await ticketRoom.file.close()
    throw error
  }
}
