import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Readiness } from '../../operations/health/readiness.ts'
import manifest from '../../package.json' with { type: 'json' }

/** Rises with a change of the contract's routes that existing clients cannot use. */
const apiVersion = 1

interface HealthParts {
  readiness: Pick<Readiness, 'read'>
  /** Aborted when the process was asked to stop; absent: never. */
  draining: AbortSignal | undefined
}

/**
 * For supervisors and proxies, without login: `GET /health` whether the process answers, `GET /ready` whether all that it needs
 * works, by name and without a reason, and `GET /version`.
 */
export function mountHealthRoutes(app: FastifyInstance, { readiness, draining }: HealthParts): void {
  app.get('/health', async () => ({ status: 'ok' }))
  app.get('/ready', async (_request, reply) => {
    const dependencies = await readiness.read()
    const works = Object.values(dependencies).every((state) => state === 'ok')
    const status = draining?.aborted ? 'draining' : works ? 'ok' : 'failed'
    return reply.code(status === 'ok' ? 200 : 503).send({ status, dependencies })
  })
  const version = {
    version: manifest.version,
    commit: commitOf(readFileSync(join(import.meta.dirname, '../../release-commit'), 'utf8')),
    api: apiVersion,
  }
  app.get('/version', async () => version)
}

/** The commit that a release was made from, of the text that `git archive` writes; null in a checkout. */
export const commitOf = (text: string): string | null => /^[0-9a-f]{40,64}$/.exec(text.trim())?.[0] ?? null
