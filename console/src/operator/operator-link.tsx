import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A link to a screen of this console: the types of the router know the addresses of the web console alone. */
export const OperatorLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link to={to}>{children}</Link>
)
