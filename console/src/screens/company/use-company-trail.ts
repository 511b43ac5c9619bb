import { useTrail } from '../../app/trail.ts'
import type { CompanyPart } from '../../data/company/company-parts.ts'
import { useTexts } from '../../texts/texts.tsx'

/** The way to a screen below a part of the company. */
export function useCompanyTrail(part: CompanyPart): void {
  const t = useTexts()
  useTrail([{ text: t.company.parts[part], to: `/company/${part}` }])
}
