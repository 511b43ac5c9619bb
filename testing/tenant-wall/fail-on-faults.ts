import { afterAll, afterEach } from 'vitest'
import { takeFaults } from './watch-statements.ts'

/* Setup of each test file: a test whose statements use a tenant table without its company fails. */

function failOnFaults(): void {
  const found = takeFaults()
  if (found.length > 0) throw new Error(found.join('\n\n'))
}

afterEach(failOnFaults)
afterAll(failOnFaults)
