import { sha256Of } from '../../../server/base/sha256.ts'
import type { Database } from '../../../server/db/database.ts'
import { DiskStorage } from '../../../server/storage/disk.ts'
import type { BenchTenant } from '../service/tenants.ts'

const output = Buffer.from(JSON.stringify({ rows: 12, total: 3456.78, currency: 'EUR' }))
const log = Buffer.from('a line of the log of a job\n'.repeat(20))

/** Gives an ended run of each company an output, a log and the row of an artifact, as small as those of most jobs. */
export async function storeResults(
  { db, objects }: { db: Database; objects: string },
  { tenants, runIds }: { tenants: readonly BenchTenant[]; runIds: readonly string[] },
): Promise<void> {
  const storage = new DiskStorage(objects)
  for (const [at, { companyId: company_id }] of tenants.entries()) {
    const run_id = runIds[at] ?? ''
    const [output_key, log_key] = [`bench/${run_id}/output`, `bench/${run_id}/log`]
    await storage.put(output_key, output)
    await storage.put(log_key, log)
    const content = {
      run_id,
      company_id,
      output_key,
      output_bytes: output.length,
      output_digest: sha256Of(output),
      log_key,
      log_bytes: log.length,
      log_digest: sha256Of(log),
    }
    await db.insertInto('run_contents').values(content).execute()
    const artifact = {
      id: `art_${run_id}`,
      run_id,
      company_id,
      relative_path: 'report.csv',
      path_hash: sha256Of('report.csv'),
      bundle_offset: 0,
      byte_size: 100,
      digest: sha256Of('of the file'),
      declared_content_type: 'application/octet-stream',
    }
    await db.insertInto('run_artifacts').values(artifact).execute()
  }
}
