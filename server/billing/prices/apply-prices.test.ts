import { settingsRoutes } from '@sandbox-jobs/contract/routes/settings-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { TestApi } from '../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { applyTestPrices, priceFile, removePrices } from '../../../testing/factories/prices.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { YamlFileInvalid } from '../../base/yaml-file.ts'
import { applyPrices } from './apply-prices.ts'

const { db } = await createTestDatabase()

beforeEach(() => removePrices(db))

const { onprem } = priceFile.regions

/** The problems of a file that is refused. */
async function problemsOf(file: object | string): Promise<string[]> {
  const text = typeof file === 'string' ? file : JSON.stringify(file)
  try {
    await applyPrices({ db, deployment: 'onprem' }, text, { dryRun: false })
  } catch (error) {
    if (error instanceof YamlFileInvalid) return error.problems
    throw error
  }
  return []
}

const lists = async () => (await db.selectFrom('price_lists').select('id').execute()).length

describe('a price file', () => {
  it('is compared with what holds, and stored once', async () => {
    const first = await applyTestPrices(db)
    expect(first.changes).toContainEqual({
      name: 'onprem run standard per_second',
      before: undefined,
      after: '10',
    })
    expect((await applyTestPrices(db)).changes).toEqual([])
    expect(await lists()).toBe(1)
    const dearer = {
      ...priceFile,
      rate_version: 'rates-2',
      regions: {
        onprem: { ...onprem, egress_per_gib: '0.02', profiles: { standard: onprem.profiles.standard } },
      },
    }
    const wanted = [
      { name: 'onprem run large egress_per_gib', before: '10000', after: undefined },
      { name: 'onprem run large ingress_per_gib', before: '0', after: undefined },
      { name: 'onprem run large per_second', before: '40', after: undefined },
      { name: 'onprem run standard egress_per_gib', before: '10000', after: '20000' },
      { name: 'rate_version', before: 'rates-1', after: 'rates-2' },
    ]
    const text = JSON.stringify(dearer)
    expect((await applyPrices({ db, deployment: 'onprem' }, text, { dryRun: true })).changes).toEqual(wanted)
    expect(await lists()).toBe(1)
    expect((await applyTestPrices(db, dearer)).changes).toEqual(wanted)
    expect(await lists()).toBe(2)
  })

  it('does not give a name in use to other rates or bounds', async () => {
    await applyTestPrices(db)
    const changed = {
      ...priceFile,
      finalization_seconds: 61,
      regions: { onprem: { ...onprem, egress_per_gib: '0' } },
    }
    expect(await problemsOf(changed)).toEqual([
      'rate_version: rates-1 names other rates; give these a name of their own',
      'bound_version: bounds-1 names other bounds; give these a name of their own',
    ])
    expect(await lists()).toBe(1)
  })

  it('is refused with every problem and its line', async () => {
    const problems = await problemsOf(
      [
        'currency: EUR',
        'rate_version: "with space"',
        'minimum_billed_seconds: -1',
        'finalization_seconds: 1.5',
        'outbound_reservation_bytes: many',
        'regions:',
        '  asia-east1: {}',
        '  onprem:',
        '    profiles: { standard: { per_second: 0.1 }, tiny: {} }',
        '    builds: { fast: { per_second: "0.0000001" } }',
        '    ingress_per_gib: "-1"',
      ].join('\n'),
    )
    expect(problems.map((line) => line.split(': ').slice(0, 2).join(': '))).toEqual([
      'line 1: currency',
      'line 1: bound_version',
      'line 2: rate_version',
      'line 3: minimum_billed_seconds',
      'line 4: finalization_seconds',
      'line 5: outbound_reservation_bytes',
      'line 7: regions.asia-east1',
      'line 9: regions.onprem.egress_per_gib',
      'line 9: regions.onprem.profiles.tiny',
      'line 9: regions.onprem.profiles.standard.per_second',
      'line 10: regions.onprem.builds.fast.per_second',
      'line 10: regions.onprem.builds',
      'line 10: regions.onprem.builds',
      'line 11: regions.onprem.ingress_per_gib',
    ])
    expect(await problemsOf('[]')).toHaveLength(1)
    expect(await problemsOf('regions: {}')).toContain('line 1: regions: must name at least one region')
    expect(await lists()).toBe(0)
  })
})

it('bytes with a price need a reservation, which the settings of a company show', async () => {
  const received = { ...priceFile, regions: { onprem: { ...onprem, ingress_per_gib: '0.01' } } }
  const refusal = 'must be above 0 where these bytes have a price: a run is ended when it has used them up'
  expect(await problemsOf(received)).toEqual([`line 1: inbound_reservation_bytes: ${refusal}`])
  expect(
    await problemsOf({ ...received, inbound_reservation_bytes: 0, outbound_reservation_bytes: 0 }),
  ).toEqual([
    `line 1: inbound_reservation_bytes: ${refusal}`,
    `line 1: outbound_reservation_bytes: ${refusal}`,
  ])
  expect(await problemsOf({ ...received, inbound_reservation_bytes: 5 })).toEqual([])
  const { companyManager } = await makeTenant(db)
  const { pricing } = await new TestApi(db).must(settingsRoutes.readSettings, companyManager)
  expect(pricing).toMatchObject({ inbound_reservation_bytes: 5 })
})

it('the settings of a company show what holds, without profiles of the operator', async () => {
  const { companyManager } = await makeTenant(db)
  const api = new TestApi(db)
  const withOwn = {
    ...priceFile,
    regions: { onprem: { ...onprem, profiles: { ...onprem.profiles, xlarge: { per_second: '1' } } } },
  }
  await applyTestPrices(db, withOwn)
  const { pricing } = await api.must(settingsRoutes.readSettings, companyManager)
  expect(pricing).toEqual({
    currency: 'USD',
    rate_version: 'rates-1',
    bound_version: 'bounds-1',
    regions: {
      onprem: {
        profiles: { standard: { per_second: '0.000010' }, large: { per_second: '0.000040' } },
        ingress_per_gib: '0.000000',
        egress_per_gib: '0.010000',
      },
    },
    minimum_billed_seconds: 60,
    finalization_seconds: 60,
    outbound_reservation_bytes: 1024 ** 3,
  })
})
