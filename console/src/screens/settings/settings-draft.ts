import type {
  CompanySettings,
  CompanySettingsUpdate,
} from '@sandbox-jobs/contract/resources/companies/company-settings.ts'

type Writable = Pick<
  CompanySettings,
  'run_content_retention_days' | 'unreferenced_image_retention_days' | 'allowed_regions'
>

/** The settings as a person types them. */
export interface SettingsDraft {
  contentDays: string
  imageDays: string
  regions: Writable['allowed_regions']
}

export const draftOf = (settings: Writable): SettingsDraft => ({
  contentDays: String(settings.run_content_retention_days),
  imageDays: String(settings.unreferenced_image_retention_days),
  regions: settings.allowed_regions,
})

/** A whole number of days within a bound; undefined for anything else. */
export function daysOf(typed: string, max: number): number | undefined {
  const days = Number(typed)
  return /^\d+$/.test(typed.trim()) && days >= 1 && days <= max ? days : undefined
}

/** The request; undefined if a field has no valid value. */
export function updateOf(
  { contentDays, imageDays, regions }: SettingsDraft,
  policyVersion: number,
  max: { content: number; image: number },
): CompanySettingsUpdate | undefined {
  const content = daysOf(contentDays, max.content)
  const image = daysOf(imageDays, max.image)
  if (content === undefined || image === undefined || regions.length === 0) return undefined
  return {
    run_content_retention_days: content,
    unreferenced_image_retention_days: image,
    allowed_regions: regions,
    policy_version: policyVersion,
  }
}
