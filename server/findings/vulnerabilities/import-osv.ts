import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Database, Trx } from '../../db/database.ts'
import { OsvFileInvalid, readOsvFile } from './osv-file.ts'
import { type Vulnerability, vulnerabilitiesOf } from './osv-record.ts'
import { deleteEcosystem, insertImport, insertVulnerabilities } from './vulnerability-store.ts'

export interface ImportResult {
  /** Revision of the database that scans use from now on. */
  revision: number
  ecosystems: string[]
  vulnerabilities: number
}

const batchSize = 500

/**
 * Imports a file of OSV records. It replaces the data of the ecosystems that the file contains and keeps the others.
 * All or nothing. Throws `OsvFileInvalid`.
 */
export async function importOsv(db: Database, path: string): Promise<ImportResult> {
  const digest = await digestOf(path)
  return db.transaction().execute(async (trx) => {
    const writer = new Writer(trx)
    for await (const record of readOsvFile(path)) {
      for (const vulnerability of vulnerabilitiesOf(record)) await writer.add(vulnerability)
    }
    await writer.flush()
    const ecosystems = [...writer.ecosystems].toSorted()
    if (ecosystems.length === 0) throw new OsvFileInvalid('it contains no OSV record that names a package')
    const revision = await insertImport(trx, { digest, ecosystems, vulnerabilities: writer.count })
    return { revision, ecosystems, vulnerabilities: writer.count }
  })
}

class Writer {
  readonly ecosystems = new Set<string>()
  count = 0
  readonly #trx: Trx
  #batch: Vulnerability[] = []

  constructor(trx: Trx) {
    this.#trx = trx
  }

  async add(vulnerability: Vulnerability): Promise<void> {
    const { ecosystem } = vulnerability
    if (!this.ecosystems.has(ecosystem)) {
      this.ecosystems.add(ecosystem)
      await deleteEcosystem(this.#trx, ecosystem)
    }
    this.#batch.push(vulnerability)
    this.count += 1
    if (this.#batch.length >= batchSize) await this.flush()
  }

  async flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    if (batch.length > 0) await insertVulnerabilities(this.#trx, batch)
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return `sha256:${hash.digest('hex')}`
}
