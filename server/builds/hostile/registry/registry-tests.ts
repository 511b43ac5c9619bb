import { startVitest } from 'vitest/node'
import type { BuilderReport } from '../builder-alone.ts'

/* What stands in a registry's way is tried beside a database and a network of its own, as the tests have them. */
const files = [
  'server/builds/hostile/registry/hostile-registry.test.ts',
  'server/builds/bases/inner-registry.test.ts',
]

/** Every hostile registry, and the operator's own at an inner address, each case as the test that it is. */
export async function registryTests(): Promise<BuilderReport> {
  const { exitCode } = process
  const vitest = await startVitest('test', files, {
    watch: false,
    reporters: ['dot'],
    project: ['apart', 'hostile'],
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
  // What failed is told by the suite's own end.
  process.exitCode = exitCode
  return { cases: tests.length, failures: [...failures, ...unhandled] }
}
