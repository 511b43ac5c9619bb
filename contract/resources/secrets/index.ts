export {
  ExtendedSecretApproval,
  ExtendedSecretApprovalList,
  NextVersions,
  NextVersionsRequest,
} from './extended-secret-approval.ts'
export {
  SecretApproval,
  SecretApprovalCreateRequest,
  SecretApprovalList,
  SecretApprovalRevokeRequest,
} from './secret-approval.ts'
export {
  EncryptedValue,
  SecretBinding,
  SecretBindingList,
  SecretOperation,
  SecretRevokeRequest,
  SecretWriteRequest,
} from './secret-binding.ts'
