package pack

import "strings"

// aliases returns common names for shapes of a pack, with the names of those shapes.
func aliases(pack string) [][2]string { return aliasTable[pack] }

// aliasTable is never written to.
var aliasTable = map[string][][2]string{
	"aws": pairs(`acm=certificate_manager_3 alb=application_load_balancer apigateway=api_gateway asg=auto_scaling3
		autoscaling_group=group_auto_scaling_group aws_cloud=group_aws_cloud_alt beanstalk=elastic_beanstalk browser=client
		cdn=cloudfront cloud9=cloud9 cloudwatch=cloudwatch_2 datacenter=corporate_data_center dax=dynamodb_dax
		docdb=documentdb_with_mongodb_compatibility documentdb=documentdb_with_mongodb_compatibility dns=route_53
		ebs=elastic_block_store efs=elastic_file_system elb=elastic_load_balancing elastic_load_balancer=elastic_load_balancing
		elasticsearch=elasticsearch_service opensearch=elasticsearch_service eventbus=eventbridge firehose=kinesis_data_firehose function=lambda_function
		gateway=api_gateway gateway_load_balancer=gateway_load_balancer glb=gateway_load_balancer iam=identity_and_access_management
		igw=internet_gateway instance=instance2 kafka=managed_streaming_for_kafka kinesis_firehose=kinesis_data_firehose
		kinesis_streams=kinesis_data_streams kms=key_management_service load_balancer=elastic_load_balancing
		memcached=elasticache_for_memcached msk=managed_streaming_for_kafka nat=nat_gateway nlb=network_load_balancer
		postgres=rds_postgresql_instance mysql=rds_mysql_instance private_subnet=group_security_group
		redis=elasticache_for_redis region=group_region role=role route53=route_53 s3_bucket=bucket secretsmanager=secrets_manager
		security_group=group_security_group ses=simple_email_service server=traditional_server ssm=systems_manager
		stepfunctions=step_functions tgw=transit_gateway vpc_group=group_vpc vpn=site_to_site_vpn x_ray=xray`),
	"azure": pairs(`aad=azure_active_directory active_directory=azure_active_directory acr=container_registries adf=data_factory
		aks=kubernetes_services api_management=api_management_services apim=api_management_services app_gateway=application_gateways
		app_insights=application_insights app_service=app_services blob=blob_block blob_storage=blob_block cdn=cdn_profiles
		container_registry=container_registries cosmos=azure_cosmos_db cosmosdb=azure_cosmos_db cosmos_db=azure_cosmos_db
		databricks=azure_databricks dns=dns_zones entra=azure_active_directory event_grid=event_grid_topics eventhub=event_hubs
		expressroute=expressroute_circuits express_route=expressroute_circuits function=function_apps functions=function_apps
		key_vault=key_vaults keyvault=key_vaults kubernetes=kubernetes_services load_balancer=load_balancers
		log_analytics=log_analytics_workspaces logic_app=logic_apps mysql=azure_database_mysql_server nsg=network_security_groups
		postgres=azure_database_postgresql_server postgresql=azure_database_postgresql_server public_ip=public_ip_addresses
		redis=cache_redis sentinel=azure_sentinel servicebus=service_bus sql=sql_database storage=storage_accounts
		storage_account=storage_accounts synapse=azure_synapse_analytics traffic_manager=traffic_manager_profiles
		virtual_network=virtual_networks vm=virtual_machine vmss=vm_scale_sets vnet=virtual_networks vpn=virtual_network_gateways
		vpn_gateway=virtual_network_gateways waf=web_application_firewall_policies_waf`),
	"gcp": pairs(`apigee=apigee_api_platform automl=cloud_automl bucket=cloud_storage build=container_builder cloud_build=container_builder
		composer=cloud_composer dataflow=cloud_dataflow dialogflow=dialogflow_enterprise_edition functions=cloud_functions
		function=cloud_functions gae=app_engine gce=compute_engine gcf=cloud_functions gcr=container_registry gcs=cloud_storage
		gke=container_engine iam=cloud_iam interconnect=dedicated_interconnect iot=cloud_iot_core kms=key_management_service
		kubernetes=container_engine kubernetes_engine=container_engine load_balancer=cloud_load_balancing logging=logging
		machine_learning=cloud_machine_learning memorystore=cloud_memorystore monitoring=cloud_monitoring pub_sub=cloud_pubsub
		pubsub=cloud_pubsub redis=cloud_memorystore router=cloud_router run=cloud_run spanner=cloud_spanner sql=cloud_sql
		tpu=cloud_tpu translate=cloud_translation_api vertex=cloud_machine_learning vertex_ai=cloud_machine_learning
		vision=cloud_vision_api vm=compute_engine vpc=virtual_private_cloud`),
	"k8s": pairs(`autoscaler=hpa cloud_controller_manager=c_c_m cluster_role=c_role clusterrole=c_role clusterrolebinding=crb configmap=cm
		config_map=cm control_plane=master controller_manager=c_m daemonset=ds daemon_set=ds deployment=deploy endpoint=ep
		endpoints=ep horizontalpodautoscaler=hpa ingress=ing kube_proxy=k_proxy kubeproxy=k_proxy limit_range=limits namespace=ns
		network_policy=netpol networkpolicy=netpol persistent_volume=pv persistentvolume=pv persistentvolumeclaim=pvc
		persistent_volume_claim=pvc pods=pod replicaset=rs replica_set=rs rolebinding=rb role_binding=rb scheduler=sched
		secrets=secret service=svc serviceaccount=sa service_account=sa statefulset=sts stateful_set=sts storageclass=sc
		storage_class=sc volume=vol`),
	"cisco": pairs(`ap=wireless_access_point access_point=wireless_access_point asa=asa_5500 blade=blade_server catalyst=secure_catalyst_switch_color
		core_switch=l3_switch database=database_relational datacenter=data_center dna=cisco_dna_center hub=workgroup_switch ids=ips_ids ips=ips_ids
		internet=cloud layer2_switch=l2_switch layer3_switch=l3_switch mobile=cell_phone nexus=nexus_7k office=home_office
		pc=workstation phone=ip_phone smartphone=cell_phone switch=l2_switch telephone=ip_phone voip=ip_phone vpn=vpn_concentrator
		waf=web_application_firewall wifi=wireless_access_point wlc=wireless_lan_controller`),
	"ibm": pairs(`bare_metal=baremetalserver cache=caches containers=ibm_containers functions=openwhisk gateway=gateway iam=identity_access_management
		instance=instance kubernetes=ibm_containers load_balancer=loadbalancer object_storage=objectstorage storage=objectstorage
		vm=instance vpn_gateway=vpngateway vsi=instance watson=cognitive_services`),
}

// pairs parses SHORT=NAME pairs.
func pairs(s string) [][2]string {
	var out [][2]string
	for _, f := range strings.Fields(s) {
		short, name, _ := strings.Cut(f, "=")
		out = append(out, [2]string{short, name})
	}
	return out
}

// spellings are alternative keys of a pack's shape: names may start with the vendor's name or be in the plural.
func spellings(pack, key string) []string {
	switch pack {
	case "aws":
		for _, maker := range []string{"amazon", "aws"} {
			if rest, ok := strings.CutPrefix(key, maker); ok {
				return []string{rest}
			}
		}
	case "azure":
		return []string{"azure" + key, key + "s", strings.TrimPrefix(key, "azure")}
	case "gcp":
		return []string{"cloud" + key, strings.TrimPrefix(key, "cloud"), strings.TrimPrefix(key, "google"), "cloud" + strings.TrimPrefix(key, "google")}
	}
	return nil
}
