package arrange

import (
	"fmt"
	"strings"
	"testing"
)

// brief is a diagram in a short notation, in which each line is a frame, a shape or an edge.
//
//	[Title              opens a frame, ] closes it
//	id kind             a shape: box db queue diamond circle hex or WxH
//	a > b label         a line; ~> one of another style, - an association
type brief struct {
	name    string
	dir     Dir
	text    string
	most    int  // crossings
	unclear int  // labels without a clear place, at most
	chain   bool // too long for a page
}

// read makes a graph of a brief.
func (b brief) read(t testing.TB) (*Graph, []string) {
	t.Helper()
	g := &Graph{}
	var names []string
	at := map[string]int{}
	open := []int{-1}
	add := func(name string, x Box) {
		x.Parent = open[len(open)-1]
		at[name] = len(g.Boxes)
		g.Boxes = append(g.Boxes, x)
		names = append(names, name)
	}
	for _, l := range strings.Split(strings.ReplaceAll(b.text, ";", "\n"), "\n") {
		l = strings.TrimSpace(l)
		f := strings.Fields(l)
		switch {
		case l == "":
		case l == "]":
			open = open[:len(open)-1]
		case l[0] == '[':
			name := strings.TrimSpace(l[1:])
			add(name, Box{Title: 28, TitleW: 7 * len(name)})
			open = append(open, len(g.Boxes)-1)
		case strings.Contains(l, " > "), strings.Contains(l, " ~> "), strings.Contains(l, " - "):
			e := Edge{}
			op := " > "
			if strings.Contains(l, " ~> ") {
				op, e.Class = " ~> ", 1
			} else if strings.Contains(l, " - ") {
				op, e.Class, e.Undirected = " - ", 2, true
			}
			from, rest, _ := strings.Cut(l, op)
			to, label, _ := strings.Cut(rest, ":")
			if label = strings.TrimSpace(label); label != "" {
				e.LabelW, e.LabelH = len(label)*6+6, 16
			}
			for _, a := range strings.Split(from, ",") {
				for _, z := range strings.Split(to, ",") {
					var ok, ok2 bool
					e.From, ok = at[strings.TrimSpace(a)]
					e.To, ok2 = at[strings.TrimSpace(z)]
					if !ok || !ok2 {
						t.Fatalf("%s: %q names a shape that is not there", b.name, l)
					}
					g.Edges = append(g.Edges, e)
				}
			}
		default:
			x := Box{W: 140, H: 60}
			last := f[len(f)-1]
			switch last {
			case "db":
				x = Box{W: 120, H: 80, Kind: Cylinder}
			case "queue":
				x = Box{W: 140, H: 60, Kind: Cylinder}
			case "diamond":
				x = Box{W: 120, H: 80, Kind: Diamond}
			case "circle":
				x = Box{W: 60, H: 60, Kind: Ellipse}
			case "hex":
				x = Box{W: 120, H: 80, Kind: Hexagon}
			case "oval":
				x = Box{W: 120, H: 50, Kind: Ellipse}
			default:
				if n, _ := fmt.Sscanf(last, "%dx%d", &x.W, &x.H); n != 2 {
					f = append(f, "")
					x = Box{W: 140, H: 60}
				}
			}
			add(strings.Join(f[:len(f)-1], " "), x)
		}
	}
	return g, names
}

var corpus = []brief{
	{"shop", LR, `
		[Clients
		Web App;Mobile App;Partner API client
		]
		[Edge
		CDN;API Gateway hex;WAF
		]
		[Services
		Auth;Catalog;Cart;Checkout;Payments;Notifications;Search
		]
		[Data
		Users DB db;Catalog DB db;Orders DB db;Search Index db;Redis Cache db;Event Bus queue
		]
		[External
		Stripe;SendGrid
		]
		Web App, Mobile App > CDN;CDN > WAF;WAF > API Gateway;Partner API client > API Gateway
		API Gateway > Auth, Catalog, Cart, Checkout, Search
		Auth > Users DB;Catalog > Catalog DB;Catalog > Redis Cache: read through;Cart > Redis Cache
		Checkout > Orders DB;Checkout > Payments: sync;Payments > Stripe: HTTPS
		Checkout ~> Event Bus: order placed;Event Bus ~> Notifications;Event Bus ~> Search: reindex
		Search > Search Index;Notifications > SendGrid`, 3, 0, false},
	{"microservices", LR, `
		Browser;Phone
		[Cloud
		[Public subnet
		Load balancer;Ingress
		]
		[Private subnet
		[Orders
		Order API;Order worker;Order DB db
		]
		[Stock
		Stock API;Stock DB db
		]
		[Users
		User API;User DB db
		]
		]
		Broker queue
		]
		Mail service
		Browser, Phone > Load balancer;Load balancer > Ingress;Ingress > Order API, Stock API, User API
		Order API > Order DB;Stock API > Stock DB;User API > User DB;Order API ~> Broker: placed;Broker ~> Order worker
		Broker ~> Stock API: reserve;Order worker > Mail service;Order worker > Order DB`, 4, 0, false},
	{"three-tier", LR, `
		User circle
		[Web
		Nginx A;Nginx B
		]
		[App
		App 1;App 2;App 3
		]
		[Storage
		Primary db;Replica db;Cache db
		]
		User > Nginx A, Nginx B;Nginx A > App 1, App 2;Nginx B > App 2, App 3
		App 1, App 2, App 3 > Primary;App 2 > Cache;Primary ~> Replica: replicate`, 4, 0, false},
	{"events", LR, `
		[Producers
		Orders;Payments;Inventory;Web tracking
		]
		Kafka queue
		[Consumers
		Billing;Shipping;Analytics;Search indexer;Alerts
		]
		[Sinks
		Warehouse db;Index db;Pager
		]
		Orders ~> Kafka: order.*;Payments ~> Kafka: payment.*;Inventory ~> Kafka;Web tracking ~> Kafka: clicks
		Kafka ~> Billing, Shipping, Analytics, Search indexer, Alerts
		Analytics > Warehouse;Search indexer > Index;Alerts > Pager`, 0, 0, false},
	{"flowchart", TB, `
		Start oval;Validate cart;In stock? diamond;Offer backorder;Take payment;Paid? diamond;Retry up to 3x;Create order;Send mail;End oval
		Start > Validate cart;Validate cart > In stock?;In stock? > Take payment: yes;In stock? > Offer backorder: no;Offer backorder > End
		Take payment > Paid?;Paid? > Create order: yes;Paid? > Retry up to 3x: no;Retry up to 3x > Take payment;Create order > Send mail;Send mail > End`, 0, 0, false},
	{"er", LR, `
		Customer 160x120;Address 160x90;Order 160x140;Order line 160x100;Product 160x150;Category 160x70;Supplier 160x90;Payment 160x110
		Customer - Address: 1..n;Customer - Order: 1..n;Order - Order line: 1..n;Order line - Product: n..1;Product - Category: n..1;Product - Supplier: n..1;Order - Payment: 1..1;Order - Address: ships to`, 1, 0, false},
	{"classes", TB, `
		Shape 160x100;Polygon 160x80;Ellipse 160x80;Rectangle 160x80;Triangle 160x80;Circle 160x60;Canvas 160x90;Renderer 160x80;SvgRenderer;PngRenderer
		Shape > Polygon, Ellipse;Polygon > Rectangle, Triangle;Ellipse > Circle;Renderer > SvgRenderer, PngRenderer;Canvas - Shape: shapes;Canvas - Renderer: uses`, 1, 0, false},
	{"states", TB, `
		start circle;Idle;Connecting;Connected;Transfer;Error;closed circle
		start > Idle;Idle > Connecting: connect;Connecting > Connected: ok;Connecting > Error: timeout;Connected > Transfer: send;Transfer > Connected: done
		Error > Idle: reset;Connected > closed: close;Transfer > Error: broken`, 1, 0, false},
	{"org", TB, `
		CEO;CTO;CFO;COO;Platform;Product;Quality;Accounting;Controlling;Logistics;Support;Facilities
		CEO > CTO, CFO, COO;CTO > Platform, Product, Quality;CFO > Accounting, Controlling;COO > Logistics, Support, Facilities`, 0, 0, false},
	{"network", LR, `
		Internet oval
		[DMZ
		Firewall;Reverse proxy;Mail relay
		]
		[Office LAN
		Switch;PCs;Printers;WLAN
		]
		[Server LAN
		Core switch;File server;Database db;Backup db
		]
		[Management
		Bastion;Monitoring
		]
		Internet > Firewall;Firewall > Reverse proxy, Mail relay;Reverse proxy > Core switch;Firewall > Switch;Switch > PCs, Printers, WLAN
		Switch > Core switch;Core switch > File server, Database;Database > Backup: nightly;Bastion > Core switch;Monitoring ~> Core switch: snmp;Monitoring ~> Firewall: snmp`, 4, 0, false},
	{"pipeline", LR, `
		[Sources
		CRM;ERP;Web logs;Sensors
		]
		[Ingest
		Batch loader;Stream loader
		]
		[Lake
		Raw db;Clean db;Curated db
		]
		[Transform
		Spark jobs;Quality checks
		]
		[Serve
		BI tool;Feature store db;API
		]
		CRM, ERP > Batch loader;Web logs, Sensors ~> Stream loader;Batch loader > Raw;Stream loader ~> Raw
		Raw > Spark jobs;Spark jobs > Clean;Clean > Quality checks;Quality checks > Curated: passed;Curated > BI tool, Feature store, API`, 4, 0, false},
	{"c4", TB, `
		Customer 120x80;Back office 120x80
		[Banking system
		Web app 180x80;Single page app 180x80;Mobile app 180x80;API 180x80;Database 160x90
		]
		Mainframe 180x80;Mail system 180x80
		Customer > Web app: visits;Customer > Single page app: uses;Customer > Mobile app: uses;Web app > Single page app: delivers;Single page app > API: JSON/HTTPS
		Mobile app > API: JSON/HTTPS;API > Database: SQL;API > Mainframe: XML/HTTPS;API > Mail system: SMTP;Mail system > Customer: mails;Back office > Web app: administers`, 3, 2, false},
	{"isolated", LR, `
		A;B;C
		[One
		D;E
		]
		[Two
		F;G;H
		]
		I db
		[Three
		J;K;L;M
		]
		A > D;D > F`, 0, 0, false},
	{"aws", LR, `
		Users oval;Route 53
		[AWS
		CloudFront;S3 assets db
		[VPC
		[Public subnet
		ALB;NAT
		]
		[App subnet
		ECS web;ECS api;ECS jobs
		]
		[Data subnet
		Aurora db;Aurora replica db;ElastiCache db
		]
		]
		SQS queue;SES
		]
		Users > Route 53;Route 53 > CloudFront;CloudFront > S3 assets;CloudFront > ALB;ALB > ECS web, ECS api;ECS api > Aurora: writes;ECS web > Aurora replica: reads
		ECS api > ElastiCache;ECS api ~> SQS: jobs;SQS ~> ECS jobs;ECS jobs > Aurora;ECS jobs > SES: mails;Aurora ~> Aurora replica`, 6, 0, false},
	{"ci", LR, `
		Developer circle;Git server;Build;Unit tests;Passed? diamond;Package;Registry db;Deploy staging;Accepted? diamond;Deploy production;Notify
		Developer > Git server: push;Git server > Build;Build > Unit tests;Unit tests > Passed?;Passed? > Package: yes;Passed? > Notify: no;Package > Registry
		Registry > Deploy staging;Deploy staging > Accepted?;Accepted? > Deploy production: yes;Accepted? > Notify: no;Notify > Developer`, 2, 1, true},
	{"process", LR, `
		[Customer
		Place order;Pay invoice;Receive goods
		]
		[Sales
		Check order;Complete? diamond;Reject order;Send invoice
		]
		[Warehouse
		Pick goods;Ship goods
		]
		Place order > Check order;Check order > Complete?;Complete? > Reject order: no;Complete? > Send invoice: yes;Send invoice > Pay invoice
		Pay invoice > Pick goods: paid;Pick goods > Ship goods;Ship goods > Receive goods;Reject order > Place order: ask again`, 4, 0, false},
	{"star", LR, `
		Hub hex;A;B;C;D;E;F;G;H
		Hub - A, B, C, D: link;E, F, G, H - Hub: link`, 0, 0, false},
	{"plugin host", TB, `
		Client
		[Host
		Session;Journal;Sandbox
		[Domains
		drawio;midi;video
		]
		]
		Disk db
		Client > Session: MCP;Session > Journal: events;Session > Sandbox: calls;Sandbox > drawio, midi, video;Journal > Disk: append;Sandbox ~> Disk: read`, 3, 0, false},
	{"two teams", LR, `
		[Left
		[Inner one
		A;B
		]
		[Inner two
		C;D
		]
		]
		[Right
		E;F;G
		]
		A > C;B > D;C > E;D > F;D > G;G ~> A: feedback`, 1, 0, false},
	{"dense", LR, `
		A;B;C;D;E;F;G;H
		A > C, D, E;B > C, D, F;C > G, H;D > G, H;E > H;F > G`, 8, 0, false},
	{"crosswise", LR, `
		[One
		A;B;C
		]
		[Two
		D;E;F
		]
		[Three
		G;H;I
		]
		A > F;B > E;C > D;D > I;E > G: in;F > H;A > G;I ~> A: back`, 4, 0, false},
}
