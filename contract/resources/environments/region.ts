import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { OneOf } from '../../schema.ts'

export const regionCodes = [
  'asia-east1',
  'asia-northeast1',
  'asia-northeast2',
  'asia-south1',
  'asia-southeast3',
  'asia-east2',
  'asia-northeast3',
  'asia-southeast1',
  'asia-southeast2',
  'asia-south2',
  'onprem',
] as const

export const RegionCode = OneOf(regionCodes)
export type RegionCode = Static<typeof RegionCode>

export const Region = Type.Object({
  code: about('Code of the region.', RegionCode, 'onprem'),
  display_name: about('Name as people see it.', Type.String(), 'On premises'),
  location: about('Where it is.', Type.String(), 'This deployment'),
  tier: about(
    '1 is preferred, 2 is for overflow, 3 is fixed capacity on premises.',
    Type.Integer({ minimum: 1, maximum: 3 }),
    3,
  ),
})
export type Region = Static<typeof Region>

export const RegionSet = Type.Object({ items: about('The regions of this deployment.', Type.Array(Region)) })
export type RegionSet = Static<typeof RegionSet>

export const regions: readonly Region[] = [
  { code: 'asia-east1', display_name: 'Taiwan', location: 'Changhua County, Taiwan', tier: 1 },
  { code: 'asia-northeast1', display_name: 'Tokyo', location: 'Tokyo, Japan', tier: 1 },
  { code: 'asia-northeast2', display_name: 'Osaka', location: 'Osaka, Japan', tier: 1 },
  { code: 'asia-south1', display_name: 'Mumbai', location: 'Mumbai, India', tier: 1 },
  { code: 'asia-southeast3', display_name: 'Bangkok', location: 'Bangkok, Thailand', tier: 1 },
  { code: 'asia-east2', display_name: 'Hong Kong', location: 'Hong Kong', tier: 2 },
  { code: 'asia-northeast3', display_name: 'Seoul', location: 'Seoul, South Korea', tier: 2 },
  { code: 'asia-southeast1', display_name: 'Singapore', location: 'Jurong West, Singapore', tier: 2 },
  { code: 'asia-southeast2', display_name: 'Jakarta', location: 'Jakarta, Indonesia', tier: 2 },
  { code: 'asia-south2', display_name: 'Delhi', location: 'Delhi, India', tier: 2 },
  { code: 'onprem', display_name: 'On premises', location: 'This deployment', tier: 3 },
]

export const deployments = ['hosted', 'onprem'] as const
export type Deployment = (typeof deployments)[number]

/** The regions of a deployment: only `onprem`, or all except `onprem`. */
export const regionsOf = (deployment: Deployment): Region[] =>
  regions.filter((region) => (region.code === 'onprem') === (deployment === 'onprem'))

export const defaultRegion: { readonly [D in Deployment]: RegionCode } = {
  hosted: 'asia-east1',
  onprem: 'onprem',
}
