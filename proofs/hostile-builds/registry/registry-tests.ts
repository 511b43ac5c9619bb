import { startVitest } from 'vitest/node'
import type { BuilderReport } from '../builder-alone.ts'

/* Runs the registry tests with vitest, since they need a database and a separate network. */
const files = [
  'proofs/hostile-builds/registry/hostile-registry.test.ts',
  'server/builds/bases/inner-registry.test.ts',
]

/** Runs the tests of hostile registries, and of the operator's registry at a private address. */
export async function registryTests(): Promise<BuilderReport> {
  const { exitCode } = process
  const vitest = await startVitest('test', files, {
    watch: false,
    reporters: ['dot'],
  })
  const modules = vitest.state.getTestModules()
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const failures = [
    ...files
      .filter((file) => !modules.some(({ moduleId }) => moduleId.endsWith(`/${file}`)))
      .map((file) => `${file} was not run`),
    ...tests.filter((test) => !test.ok()).map(({ fullName }) => fullName),
  ]
  const unhandled = vitest.state.getUnhandledErrors().map(String)
  await vitest.close()
  // The suite reports failures itself.
  process.exitCode = exitCode
  return { cases: tests.length, failures: [...failures, ...unhandled] }
}
