import { once } from 'node:events'
import { PassThrough, type Readable } from 'node:stream'
import pg from 'pg'

export interface ClusterStream {
  /** Where recovery starts. */
  lsn: string
  timeline: number
  /** A tar archive of the cluster without its write-ahead log. */
  content: Readable
}

interface CopyData {
  chunk: Buffer
}
interface Connection {
  stream: { pause: () => void; resume: () => void }
}

/** Kinds of messages of a base backup in the replication protocol: the first byte of each. */
const newArchive = 'n'
const archiveContent = 'd'
const bufferBytes = 4 * 2 ** 20

/**
 * Has the server send a copy of its cluster, with the verification of its checksums. The copy is consistent once the log from `lsn` on
 * has been applied. The content ends with an error if anything fails.
 */
export async function streamCluster(superuserUrl: string): Promise<ClusterStream> {
  const client = new pg.Client({ connectionString: superuserUrl, replication: 'true' } as pg.ClientConfig)
  const content = new PassThrough({ highWaterMark: bufferBytes })
  client.on('error', (error) => content.destroy(error))
  await client.connect()
  content.on('close', () => void client.end().catch(() => undefined))
  const query = new pg.Query(
    `BASE_BACKUP (LABEL 'sandbox-jobs', CHECKPOINT 'fast', WAL false, MANIFEST 'no')`,
  )
  let archives = 0
  const handleCopyData = ({ chunk }: CopyData, { stream }: Connection) => {
    const kind = String.fromCharCode(chunk[0] ?? 0)
    if (kind === newArchive) archives += 1
    // A second archive would be a tablespace, which the service does not make.
    if (archives > 1) content.destroy(new Error('the cluster has a tablespace'))
    if (kind !== archiveContent || content.write(Buffer.from(chunk.subarray(1)))) return
    // Chunks that were received before the pause still come.
    stream.pause()
    if (content.listenerCount('drain') === 0) content.once('drain', () => stream.resume())
  }
  Object.assign(query, { handleCopyData })
  query.on('error', (error) => content.destroy(error))
  query.on('end', () => content.end())
  const first = Promise.race([
    once(query, 'row') as Promise<[{ recptr: string; tli: string }]>,
    once(content, 'close').then(() => Promise.reject(new Error('the database sent no copy of its cluster'))),
  ])
  client.query(query)
  const [{ recptr, tli }] = await first
  return { lsn: recptr, timeline: Number(tli), content }
}
