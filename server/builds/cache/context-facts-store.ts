import { sql } from 'kysely'
import type { ContextFacts } from '../../../reader/process/reader-messages.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'

/** An archive of a company, and the digest of the program that checked it. */
export interface ReadContext {
  companyId: string
  rawDigest: string
  format: string
  gateDigest: string
}

const columnsOf = ({ companyId, rawDigest, format, gateDigest }: ReadContext) => ({
  company_id: companyId,
  raw_digest: rawDigest,
  archive_format: format,
  gate_digest: gateDigest,
})

/** The results for an accepted archive; undefined for one that was not accepted, or not by this program. */
export async function findContextFacts(db: Executing, of: ReadContext): Promise<ContextFacts | undefined> {
  return db
    .selectFrom('context_facts')
    .select(['canonical_digest as canonicalDigest', 'bases', 'final_base as finalBase', 'points'])
    .where((eb) => eb.and(columnsOf(of)))
    .executeTakeFirst()
}

export async function recordContextFacts(db: Executing, of: ReadContext, facts: ContextFacts): Promise<void> {
  await db
    .insertInto('context_facts')
    .values({
      ...columnsOf(of),
      canonical_digest: facts.canonicalDigest,
      bases: facts.bases,
      final_base: facts.finalBase,
      points: JSON.stringify(facts.points),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteStaleFacts(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from context_facts where ctid in (select ctid from context_facts where noted_at < ${before} limit ${limit})
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
