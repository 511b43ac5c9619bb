import { join } from 'node:path'
import type { Reach } from '../harness/measure/row.ts'
import { crunPeer } from './crun.ts'
import { dockerPeer } from './docker.ts'
import type { Peer, PeerParts } from './peer.ts'
import { podmanPeer } from './podman.ts'

/** A future row: a peer, or the reason why there is none. */
export interface Contender {
  name: string
  reach: Reach | undefined
  peer: Peer | undefined
  notes: string[]
}

interface KnownPeer {
  /** Has to be installed first, so it is included only with --peers. */
  onRequest?: true
  start: (parts: PeerParts) => Promise<Peer>
}

const known = {
  'crun run': { start: (parts) => crunPeer(parts, 'whole') },
  'crun run, only true': { start: (parts) => crunPeer(parts, 'bare') },
  'docker run': { onRequest: true, start: dockerPeer },
  'podman run': { onRequest: true, start: podmanPeer },
} satisfies Record<string, KnownPeer>

export interface WantedPeer {
  name: keyof typeof known
  reach?: Reach
}

/** Starts the peers of the run benchmarks. A peer that does not start here keeps its row, with the reason. */
export async function startPeers({
  peers,
  wanted,
  say,
  ...parts
}: PeerParts & {
  peers: boolean
  wanted: readonly WantedPeer[]
  say: (line: string) => void
}): Promise<Contender[]> {
  const contenders: Contender[] = []
  for (const { name, reach } of wanted) {
    const { onRequest, start }: KnownPeer = known[name]
    if (onRequest && !peers) continue
    say(`starting ${name}`)
    const folder = join(parts.folder, name.replaceAll(/[^a-z]+/g, '-'))
    contenders.push({ name, reach, ...(await tryStart(name, () => start({ ...parts, folder }))) })
  }
  return contenders
}

/** A peer counts once it has done the job. */
async function tryStart(
  name: string,
  start: () => Promise<Peer>,
): Promise<Pick<Contender, 'peer' | 'notes'>> {
  let peer: Peer | undefined
  try {
    peer = await start()
    await peer.launcher.once()
    return { peer, notes: peer.notes }
  } catch (error) {
    await peer?.close()
    const reason = error instanceof Error ? error.message : String(error)
    return { peer: undefined, notes: [`${name} does not run here: ${reason}`] }
  }
}

export async function stopPeers(contenders: readonly Contender[]): Promise<void> {
  for (const { peer } of contenders) await peer?.close()
}
