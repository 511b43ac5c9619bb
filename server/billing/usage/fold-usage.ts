import type { Database } from '../../db/database.ts'
import { folding } from '../../work/rounds/fold-changes.ts'
import { usageFold } from './usage-store.ts'

/** One iteration of the loop that folds what ended work used into the totals by day. */
export const foldUsage = ({ db }: { db: Database }) => folding(db, usageFold)
