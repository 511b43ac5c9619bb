import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { OneOf } from '../../schema.ts'
import { selectableProfiles } from './selectable-profiles.ts'

export const resourceProfiles = ['standard', 'performance', 'large', 'xlarge'] as const
export const ResourceProfile = OneOf(resourceProfiles)
export type ResourceProfile = Static<typeof ResourceProfile>

export const SelectableProfile = OneOf(selectableProfiles)
export type SelectableProfile = Static<typeof SelectableProfile>

/** Profiles of builds, which differ from those of runs. */
export const buildProfiles = ['standard', 'fast', 'large'] as const
export const BuildProfile = OneOf(buildProfiles)
export type BuildProfile = Static<typeof BuildProfile>

export const Profile = Type.Object({
  id: about('Name of the profile.', ResourceProfile),
  display_name: about('Name as people see it.', Type.String(), 'Standard'),
  vcpu: about('Processors, as programs count them.', Type.Integer({ minimum: 1 }), 1),
  provider_memory_mib: about(
    'MiB that are enforced: programs, files in the workspace and what the platform itself needs, together. A run that takes more ends as out_of_memory. It is also what a run counts for while others wait for memory.',
    Type.Integer({ minimum: 1 }),
    1280,
  ),
  customer_memory_mib: about(
    'MiB that are promised: programs have this much whatever the workspace holds, and see it as the size of the machine. More is there only as far as the workspace is empty, and may be gone in a later release.',
    Type.Integer({ minimum: 1 }),
    512,
  ),
  workspace_mib: about(
    'MiB of files that a run may write, everywhere in its sandbox together. They are kept in memory.',
    Type.Integer({ minimum: 1 }),
    512,
  ),
  tenant_selectable: about('False: only the operator may select it.', Type.Boolean(), true),
  is_default: about('Whether it is the one to choose without a reason for another.', Type.Boolean(), true),
})
export type Profile = Static<typeof Profile>

export const ProfileSet = Type.Object({ items: about('All profiles, smallest first.', Type.Array(Profile)) })
export type ProfileSet = Static<typeof ProfileSet>

export const defaultProfile: ResourceProfile = 'standard'

/** The public table of profiles (contract part 1, "Regions and profiles"). */
export const profiles: readonly Profile[] = [
  {
    id: 'standard',
    display_name: 'Standard',
    vcpu: 1,
    provider_memory_mib: 1280,
    customer_memory_mib: 512,
    workspace_mib: 512,
    tenant_selectable: true,
    is_default: true,
  },
  {
    id: 'performance',
    display_name: 'Performance',
    vcpu: 2,
    provider_memory_mib: 2560,
    customer_memory_mib: 1024,
    workspace_mib: 1024,
    tenant_selectable: true,
    is_default: false,
  },
  {
    id: 'large',
    display_name: 'Large',
    vcpu: 4,
    provider_memory_mib: 5120,
    customer_memory_mib: 2048,
    workspace_mib: 2048,
    tenant_selectable: true,
    is_default: false,
  },
  {
    id: 'xlarge',
    display_name: 'Extra large',
    vcpu: 8,
    provider_memory_mib: 10_240,
    customer_memory_mib: 4096,
    workspace_mib: 4096,
    tenant_selectable: false,
    is_default: false,
  },
]

/** The profile with an id stored in an environment version. Throws if the table has no such profile. */
export function profileOf(id: string): Profile {
  const profile = profiles.find((candidate) => candidate.id === id)
  if (!profile) throw new Error(`unknown resource profile ${JSON.stringify(id)}`)
  return profile
}
