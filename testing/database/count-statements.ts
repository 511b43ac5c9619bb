import type { KyselyPlugin, RootOperationNode } from 'kysely'
import { DefaultQueryCompiler } from 'kysely'
import type { Database } from '../../server/db/database.ts'

/** A database whose statements are kept for a test, and can be made to fail. */
export function countStatements(from: Database) {
  let texts: string[] = []
  let fails = false
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (fails) {
        fails = false
        throw new Error('planted')
      }
      texts.push(textOf(node, queryId))
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return {
    db: from.withPlugin(plugin),
    /** The statements since the last call, in their order. */
    take(): string[] {
      const taken = texts
      texts = []
      return taken
    },
    failNext(): void {
      fails = true
    },
  }
}

const textOf = (node: RootOperationNode, queryId: Parameters<DefaultQueryCompiler['compileQuery']>[1]) =>
  new DefaultQueryCompiler().compileQuery(node, queryId).sql
