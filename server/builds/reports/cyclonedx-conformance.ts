import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Spec } from '@cyclonedx/cyclonedx-library'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'

/** Validates CycloneDX 1.6 by the official schema, which the CycloneDX library has. */
export function cycloneDxCheck(): ValidateFunction {
  const library = createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json')
  const read = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(new URL(`res/schema/${name}.SNAPSHOT.schema.json`, `file://${library}`), 'utf8'))
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat('iri-reference', true).addFormat('idn-email', true)
  ajv.addSchema(read('spdx'), 'http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json')
  ajv.addSchema(read('jsf-0.82'), 'http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json')
  return ajv.compile(read(`bom-${Spec.Version.v1dot6}`))
}
