import { randomFillSync } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { recordBytes, recordOf } from './mark.ts'

const header = Buffer.from('sandbox-jobs marks 1')
const days = 30
const dayMs = 86_400_000

/** For tests: writes `count` random marks over the last thirty days, and returns the known ids among them: `run_<day>_1`, `removed`. */
export async function writeManyMarks(folder: string, count: number, now = new Date()): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const known: string[] = []
  for (let day = 0; day < days; day += 1) {
    const id = `run_${day}_1`
    known.push(id)
    const records = randomFillSync(Buffer.alloc(Math.ceil(count / days) * recordBytes))
    for (let at = 0; at < records.length; at += recordBytes) {
      records.writeUInt8((records.readUInt8(at + 12) & 0xfc) | 2, at + 12)
      records.writeUInt32LE(crc32(records.subarray(at, at + 16)), at + 16)
    }
    recordOf(id, 'removed').copy(records)
    const name = new Date(now.getTime() - day * dayMs).toISOString().slice(0, 10)
    await writeFile(join(folder, name), Buffer.concat([header, records]), { mode: 0o600 })
  }
  return known
}
