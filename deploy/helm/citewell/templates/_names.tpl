{{/* Blocks that several templates share, indented for where they stand. */}}
{{- define "citewell.podSecurity" -}}
securityContext:
        runAsNonRoot: true
        runAsUser: 10001
        runAsGroup: 10001
        fsGroup: 10001
        seccompProfile:
          type: RuntimeDefault
{{- end -}}

{{- define "citewell.containerSecurity" -}}
securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
{{- end -}}

{{- define "citewell.environment" -}}
envFrom:
            - configMapRef:
                name: {{ .Release.Name }}-settings
            - secretRef:
                name: {{ .Values.secretName }}
{{- end -}}

{{- define "citewell.mounts" -}}
volumeMounts:
            - name: scratch
              mountPath: /tmp
              subPath: tmp
            - name: scratch
              mountPath: /var/lib/citewell
              subPath: data
{{- end -}}

{{- define "citewell.volumes" -}}
volumes:
        - name: scratch
          emptyDir:
            sizeLimit: {{ .Values.scratchSize }}
{{- end -}}
